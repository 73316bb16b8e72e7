#include "api/piece_hash.h"

#include <charconv>

#include "base/digest.h"

namespace tapedeck::api {

std::string PieceHash::to_hex() const {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value_ >> shift & 0xff);
  return base::to_hex(bytes);
}

PieceHash::Value PieceHash::from_hex(std::string_view hex) {
  Value value = 0;
  const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), value, 16);
  return error == std::errc{} && end == hex.data() + hex.size() ? value : 0;
}

}  // namespace tapedeck::api
