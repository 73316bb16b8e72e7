#include "cassettes/file/interaction_id.h"

#include <algorithm>

#include "base/digest.h"

namespace tapedeck::cassettes {

std::string sha256_bytes(std::string_view bytes) {
  const base::Sha256 digest = base::sha256(bytes);
  return std::string(digest.begin(), digest.end());
}

std::string interaction_digest(const Identity& identity) {
  std::string text;
  for (const std::string_view field : {identity.take_id, identity.scope, identity.key, identity.content}) {
    text.append(std::to_string(field.size())).append(":").append(field);
  }
  return sha256_bytes(text.append(std::to_string(identity.n))).substr(0, digest_size);
}

KeyHash key_hash(std::string_view key_text, std::string_view scope) {
  std::string scoped;
  if (!scope.empty()) scoped.append(1, '\0').append(scope).append(1, '\0').append(key_text);
  const base::Sha256 digest = base::sha256(scope.empty() ? key_text : scoped);
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
