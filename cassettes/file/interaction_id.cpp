#include "cassettes/file/interaction_id.h"

#include <algorithm>

#include "base/digest.h"

namespace tapedeck::cassettes {

namespace {

std::string as_string(const base::Sha256& digest) { return std::string(digest.begin(), digest.end()); }

/// How a field of so many bytes begins.
std::string size_mark(std::string_view field) { return std::to_string(field.size()) + ":"; }

}  // namespace

std::string sha256_bytes(std::string_view bytes) { return as_string(base::sha256(bytes)); }

std::string interaction_digest(const Identity& identity) {
  const auto& [take, scope, key, content, n] = identity;
  // A key may have megabytes: nothing is copied.
  const base::Sha256 digest = base::sha256({size_mark(take), take, size_mark(scope), scope, size_mark(key), key,
                                            size_mark(content), content, std::to_string(n)});
  return as_string(digest).substr(0, digest_size);
}

KeyHash key_hash(std::string_view key_text, std::string_view scope) {
  constexpr std::string_view nul("\0", 1);
  const base::Sha256 digest = scope.empty() ? base::sha256(key_text) : base::sha256({nul, scope, nul, key_text});
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
