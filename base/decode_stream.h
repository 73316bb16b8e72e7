#pragma once
// One compressed stream, decoded piece by piece into a sink.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace tapedeck::base {

enum class Coding : std::uint8_t { gzip, zlib, raw_deflate, brotli, zstd };

enum class StreamEnd {
  whole,    ///< the stream's own end was reached
  cut,      ///< the input ended first
  damaged,  ///< not such a stream, or not any more
  stopped,  ///< the sink had enough
};

struct StreamResult {
  StreamEnd end = StreamEnd::damaged;
  std::size_t used = 0;  ///< bytes of input that the stream took
};

/// Takes the next piece; false stops the decoding.
using Sink = std::function<bool(std::string_view)>;

/// Decodes one gzip member, one zlib or deflate stream, one brotli stream or one zstd frame at the start of `input`.
/// The sink gets what was produced before an error, too.
[[nodiscard]] StreamResult decode_stream(Coding coding, std::string_view input, const Sink& sink);

}  // namespace tapedeck::base
