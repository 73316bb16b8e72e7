#include "tests/support/bombs.h"

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

#include <memory>
#include <stdexcept>

namespace tapedeck::tests {

namespace {

constexpr std::size_t piece_bytes = 1u << 20;

/// Returns gzip of `piece` repeated `times` times.
std::string gzip_repeated(std::string_view piece, std::size_t times, int level) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&stream, level, Z_DEFLATED, gzip_window, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib");
  }
  std::string packed;
  std::string room(piece_bytes, '\0');
  for (std::size_t i = 0; i < times; ++i) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(room.data());
      stream.avail_out = static_cast<uInt>(room.size());
      deflate(&stream, i + 1 == times ? Z_FINISH : Z_NO_FLUSH);
      packed.append(room.data(), room.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }
  deflateEnd(&stream);
  return packed;
}

/// Returns brotli of `piece` repeated `times` times.
std::string brotli_repeated(std::string_view piece, std::size_t times) {
  const std::unique_ptr<BrotliEncoderState, decltype(&BrotliEncoderDestroyInstance)> encoder(
      BrotliEncoderCreateInstance(nullptr, nullptr, nullptr), BrotliEncoderDestroyInstance);
  BrotliEncoderSetParameter(encoder.get(), BROTLI_PARAM_QUALITY, 2);
  std::string packed;
  std::string room(piece_bytes, '\0');
  for (std::size_t i = 0; i < times; ++i) {
    const bool last = i + 1 == times;
    std::size_t left = piece.size();
    const auto* next = reinterpret_cast<const std::uint8_t*>(piece.data());
    do {
      std::size_t free = room.size();
      auto* out = reinterpret_cast<std::uint8_t*>(room.data());
      BrotliEncoderCompressStream(encoder.get(), last ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS, &left,
                                  &next, &free, &out, nullptr);
      packed.append(room.data(), room.size() - free);
    } while (left > 0 || BrotliEncoderHasMoreOutput(encoder.get()));
  }
  return packed;
}

std::string make_zstd_bomb() {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 1);
  const std::string zeros(piece_bytes, '\0');
  std::string packed;
  std::string room(piece_bytes, '\0');
  for (std::size_t done = 0; done < bomb_bytes; done += piece_bytes) {
    const bool last = done + piece_bytes >= bomb_bytes;
    ZSTD_inBuffer in{zeros.data(), zeros.size(), 0};
    std::size_t left = 1;
    while (last ? left != 0 : in.pos < in.size) {
      ZSTD_outBuffer out{room.data(), room.size(), 0};
      left = ZSTD_compressStream2(context.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      packed.append(room.data(), out.pos);
    }
  }
  return packed;
}

}  // namespace

std::string gzip_of(std::string_view plain) { return gzip_repeated(plain, 1, 6); }
std::string brotli_of(std::string_view plain) { return brotli_repeated(plain, 1); }

const std::string& gzip_bomb() {
  static const std::string bomb = gzip_repeated(std::string(piece_bytes, '\0'), bomb_bytes / piece_bytes, 1);
  return bomb;
}

const std::string& brotli_bomb() {
  static const std::string bomb = brotli_repeated(std::string(piece_bytes, '\0'), bomb_bytes / piece_bytes);
  return bomb;
}

const std::string& zstd_bomb() {
  static const std::string bomb = make_zstd_bomb();
  return bomb;
}

}  // namespace tapedeck::tests
