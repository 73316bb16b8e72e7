#include "scrubbers/rules/plain_bodies.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tapedeck::scrubbers {

std::size_t PlainBodies::hash_of(const CallContext& context, std::string_view body) {
  return body.size() > longest ? 0 : XXH3_64bits(body.data(), body.size()) ^ context.hash();
}

bool PlainBodies::knows(const BodyInPlace& asked) {
  if (asked.body.size() > longest) return false;
  const std::lock_guard lock(mutex_);
  return bodies_.find(asked) != nullptr;
}

void PlainBodies::add(const BodyInPlace& found) {
  if (found.body.size() > longest) return;
  const std::lock_guard lock(mutex_);
  if (!bodies_.is_asked_again(found)) return;
  constexpr std::size_t upkeep = 256;  // of an entry
  bodies_.insert({found.context, std::string(found.content_type), std::string(found.body), found.hash}, {},
                 found.body.size() + found.content_type.size() + upkeep);
}

}  // namespace tapedeck::scrubbers
