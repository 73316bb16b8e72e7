#pragma once
// Decodes one compressed stream piece by piece.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace tapedeck::base {

enum class Coding : std::uint8_t { gzip, zlib, raw_deflate, brotli, zstd };

enum class StreamEnd {
  whole,    ///< the end of the stream was reached
  cut,      ///< the input ended first
  damaged,  ///< not such a stream, or damaged
  stopped,  ///< the sink stopped it
};

struct StreamResult {
  StreamEnd end = StreamEnd::damaged;
  std::size_t used = 0;  ///< bytes of input in the stream
};

/// Receives the next piece of output. Returns false to stop.
using Sink = std::function<bool(std::string_view)>;

/// Decodes one gzip member, zlib or deflate stream, brotli stream, or zstd frame at the start of `input`. The sink also
/// receives the output before an error.
[[nodiscard]] StreamResult decode_stream(Coding coding, std::string_view input, const Sink& sink);

}  // namespace tapedeck::base
