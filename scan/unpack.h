#pragma once
// Compressed frames: finding them by their magic, and unpacking them in bounded pieces.

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/decode_stream.h"

namespace tapedeck::scan {

using base::Coding;

struct Frame {
  std::size_t start = std::string_view::npos;
  Coding coding = Coding::gzip;
};
/// The first gzip, zlib or zstd magic at or behind `from`; start is npos when there is none. False alarms are
/// usual.
[[nodiscard]] Frame next_frame(std::string_view view, std::size_t from);
/// The length of the zstd frame that starts `input`; 0 when it is cut or damaged, or no zstd frame.
[[nodiscard]] std::size_t zstd_frame_size(std::string_view input);
/// Returns true for a whole zstd frame that names a dictionary.
[[nodiscard]] bool needs_dictionary(std::string_view input);

/// Gets the next piece of output; false stops the unpacking.
using PieceSink = std::function<bool(std::string_view piece)>;
/// Says whether so many bytes may be held; false stops.
using MayHold = std::function<bool(std::uint64_t bytes)>;

/// Unpacks the frame that starts `input`; what comes behind it does not matter. What was produced before an error is
/// handed out too: a cut or damaged frame may hold a secret as well as a good one. Pieces of a long output are about
/// 8 MiB and overlap by 64 KiB.
base::StreamResult unpack(Coding coding, std::string_view input, const MayHold& may_hold, const PieceSink& sink);

}  // namespace tapedeck::scan
