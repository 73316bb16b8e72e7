#include "cassettes/file/interaction_id.h"

#include <algorithm>

#include "base/digest.h"

namespace tapedeck::cassettes {

namespace {

/// Returns the prefix with the length of a field.
std::string size_mark(std::string_view field) { return std::to_string(field.size()) + ":"; }

}  // namespace

std::string sha256_bytes(std::string_view bytes) {
  const base::Sha256 digest = base::sha256(bytes);
  return std::string(digest.begin(), digest.end());
}

Digest interaction_digest(const Identity& identity) {
  const auto& [take, scope, key, content, n] = identity;
  // Hashes the parts without copies, because a key may have megabytes.
  const base::Sha256 digest = base::sha256({size_mark(take), take, size_mark(scope), scope, size_mark(key), key,
                                            size_mark(content), content, std::to_string(n)});
  Digest name{};
  std::copy_n(digest.begin(), name.size(), name.begin());
  return name;
}

}  // namespace tapedeck::cassettes
