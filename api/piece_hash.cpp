#include "api/piece_hash.h"

#include "base/digest.h"
#include "base/text.h"

namespace tapedeck::api {

std::string PieceHash::to_hex() const {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value_ >> shift & 0xff);
  return base::to_hex(bytes);
}

PieceHash::Value PieceHash::from_hex(std::string_view hex) { return base::whole_number<Value>(hex, 16).value_or(0); }

}  // namespace tapedeck::api
