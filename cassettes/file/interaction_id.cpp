#include "cassettes/file/interaction_id.h"

#include <algorithm>

#include "base/digest.h"

namespace tapedeck::cassettes {

std::string sha256_bytes(std::string_view bytes) {
  const base::Sha256 digest = base::sha256(bytes);
  return std::string(digest.begin(), digest.end());
}

Digest digest_of(std::string_view bytes) {
  Digest digest{};
  std::copy_n(base::sha256(bytes).begin(), digest.size(), digest.begin());
  return digest;
}

Digest interaction_digest(const Identity& identity) {
  HashedFields fields;
  fields.add(identity.take_id).add(identity.scope).add(identity.key).add(identity.content);
  return digest_of(fields.text() + std::to_string(identity.n));
}

}  // namespace tapedeck::cassettes
