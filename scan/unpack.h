#pragma once
// Finds compressed frames by their magic bytes, and unpacks them in pieces of limited size.

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
/// Returns the first position at or after `from` where a gzip, zlib, or zstd frame may begin. Most of these are not
/// frames. `start` is npos if there is none.
[[nodiscard]] Frame next_frame(std::string_view view, std::size_t from);
/// Returns the length of the zstd frame at the start of `input`. Returns 0 if it is cut, damaged, or not a zstd frame.
[[nodiscard]] std::size_t zstd_frame_size(std::string_view input);
/// Returns true for a complete zstd frame that needs a dictionary.
[[nodiscard]] bool needs_dictionary(std::string_view input);

/// Receives the next piece of output. Returns false to stop.
using PieceSink = std::function<bool(std::string_view piece)>;
/// Returns false if this number of bytes is too much memory, which stops unpacking.
using MayHold = std::function<bool(std::uint64_t bytes)>;

/// Unpacks the frame at the start of `input` and ignores bytes after it. Also passes the output before an error to
/// `sink`, because a cut or damaged frame may contain a secret. Pieces of a long output have about 8 MiB and overlap by
/// 64 KiB, so that a secret at a boundary is complete in one of them.
base::StreamResult unpack(Coding coding, std::string_view input, const MayHold& may_hold, const PieceSink& sink);

}  // namespace tapedeck::scan
