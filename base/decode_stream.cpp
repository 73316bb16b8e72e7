#include "base/decode_stream.h"

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

namespace tapedeck::base {
namespace {

constexpr std::size_t piece_size = 64 * 1024;

StreamResult inflate_stream(int window_bits, std::string_view input, const Sink& sink) {
  z_stream stream{};
  if (inflateInit2(&stream, window_bits) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> closer(&stream, &inflateEnd);
  const auto piece = std::make_unique_for_overwrite<char[]>(piece_size);
  // zlib takes a non-const pointer, but does not change the input.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input.data()));
  std::size_t left = input.size();
  StreamResult result{StreamEnd::cut, 0};
  while (true) {
    if (stream.avail_in == 0) {
      stream.avail_in = static_cast<uInt>(std::min<std::size_t>(left, std::numeric_limits<uInt>::max()));
      left -= stream.avail_in;
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.get());
    stream.avail_out = static_cast<uInt>(piece_size);
    const int status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t produced = piece_size - stream.avail_out;
    result.used = input.size() - left - stream.avail_in;
    if (produced > 0 && !sink({piece.get(), produced})) return {StreamEnd::stopped, result.used};
    if (status == Z_STREAM_END) return {StreamEnd::whole, result.used};
    if (status == Z_BUF_ERROR || (status == Z_OK && produced == 0 && stream.avail_in == 0 && left == 0)) return result;
    if (status != Z_OK) return {StreamEnd::damaged, result.used};
  }
}

StreamResult brotli_stream(std::string_view input, const Sink& sink) {
  const std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), &BrotliDecoderDestroyInstance);
  if (!state) throw std::bad_alloc();
  const auto piece = std::make_unique_for_overwrite<std::uint8_t[]>(piece_size);
  const auto* next_in = reinterpret_cast<const std::uint8_t*>(input.data());
  std::size_t left = input.size();
  while (true) {
    std::uint8_t* next_out = piece.get();
    std::size_t room = piece_size;
    const BrotliDecoderResult status =
        BrotliDecoderDecompressStream(state.get(), &left, &next_in, &room, &next_out, nullptr);
    const std::size_t produced = piece_size - room;
    const std::size_t used = input.size() - left;
    if (produced > 0 && !sink({reinterpret_cast<const char*>(piece.get()), produced}))
      return {StreamEnd::stopped, used};
    if (status == BROTLI_DECODER_RESULT_SUCCESS) return {StreamEnd::whole, used};
    if (status == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) return {StreamEnd::cut, used};
    if (status == BROTLI_DECODER_RESULT_ERROR) return {StreamEnd::damaged, used};
  }
}

StreamResult zstd_stream(std::string_view input, const Sink& sink) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
  if (!stream) throw std::bad_alloc();
  // RFC 8878 allows decoders to reject windows above 8 MiB, as browsers do. 2^27 bytes are 128 MiB.
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, 27);
  const auto piece = std::make_unique_for_overwrite<char[]>(piece_size);
  ZSTD_inBuffer in{input.data(), input.size(), 0};
  while (true) {
    ZSTD_outBuffer out{piece.get(), piece_size, 0};
    const std::size_t before = in.pos;
    const std::size_t status = ZSTD_decompressStream(stream.get(), &out, &in);
    if (out.pos > 0 && !sink({piece.get(), out.pos})) return {StreamEnd::stopped, in.pos};
    if (ZSTD_isError(status)) return {StreamEnd::damaged, in.pos};
    if (status == 0) return {StreamEnd::whole, in.pos};
    if (in.pos == in.size && out.pos < out.size) return {StreamEnd::cut, in.pos};
    if (in.pos == before && out.pos == 0) return {StreamEnd::cut, in.pos};
  }
}

}  // namespace

StreamResult decode_stream(Coding coding, std::string_view input, const Sink& sink) {
  switch (coding) {
    case Coding::gzip:
      return inflate_stream(15 + 16, input, sink);
    case Coding::zlib:
      return inflate_stream(15, input, sink);
    case Coding::raw_deflate:
      return inflate_stream(-15, input, sink);
    case Coding::brotli:
      return brotli_stream(input, sink);
    case Coding::zstd:
      return zstd_stream(input, sink);
  }
  return {};
}

}  // namespace tapedeck::base
