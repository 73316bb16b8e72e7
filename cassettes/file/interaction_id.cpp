#include "cassettes/file/interaction_id.h"

#include <algorithm>

#include "base/digest.h"

namespace tapedeck::cassettes {

std::string sha256_bytes(std::string_view bytes) {
  const base::Sha256 digest = base::sha256(bytes);
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
  const base::Sha256 digest = base::sha256(key_text);
  KeyHash hash;
  std::copy_n(digest.begin(), hash.bytes.size(), hash.bytes.begin());
  return hash;
}

std::int64_t first_row(const KeyHash& hash) {
  std::int64_t prefix = 0;
  for (std::size_t i = 0; i < 4; ++i) prefix = prefix << 8 | hash.bytes[i];
  return prefix << place_bits | 1;
}

}  // namespace tapedeck::cassettes
