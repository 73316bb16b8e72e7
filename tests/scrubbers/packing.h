#pragma once
// Compressed texts and files.

#include <zlib.h>
#include <zstd.h>

#include <string>
#include <string_view>

namespace tapedeck::scrubbers::test {

inline std::string deflated(std::string_view text, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string gzipped(std::string_view text) { return deflated(text, 31); }

inline std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

inline std::string zipped(std::string_view text) {
  std::string file("PK\x03\x04\x14\0\0\0\x08\0", 10);
  file.append(16, '\0').append("\x01\0\0\0", 4).append("a");
  return file + deflated(text, -15) + "PK\x01\x02 directory";
}

}  // namespace tapedeck::scrubbers::test
