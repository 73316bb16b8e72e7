#include "cassettes/interaction_id.h"

#include "http/digest.h"

namespace tapedeck::cassettes {

std::string sha256_bytes(std::string_view bytes) {
  const http::Sha256 digest = http::sha256(bytes);
  return std::string(digest.begin(), digest.end());
}

std::string interaction_digest(std::string_view key_text, std::uint32_t lane, std::uint32_t n) {
  std::string text(key_text);
  text += '\0';
  for (const std::uint32_t number : {lane, n}) {
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 0xff);
  }
  return sha256_bytes(text).substr(0, 8);
}

KeyHash key_hash(std::string_view key_text) {
  const http::Sha256 digest = http::sha256(key_text);
  const auto number = [&digest](std::size_t from) {
    std::uint64_t value = 0;
    for (std::size_t i = from; i < from + 8; ++i) value = value << 8 | digest[i];
    return static_cast<std::int64_t>(value);
  };
  return {number(0), number(8)};
}

}  // namespace tapedeck::cassettes
