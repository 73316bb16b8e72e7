#include "proxy/secret_count.h"

namespace tapedeck::proxy {

using scrubbers::Whose;

void SecretCount::add(const scrubbers::InteractionRecord& record) {
  const std::lock_guard lock(mutex_);
  for (const scrubbers::Redaction& row : record.redactions) {
    if (seen_.size() >= most) return;
    const std::uint32_t owner = row.whose == Whose::own ? record.session : row.whose == Whose::another ? row.owner : 0;
    seen_.emplace(row.secret_class, owner, row.ordinal);
  }
}

std::map<scrubbers::SecretClass, std::uint64_t> SecretCount::by_class() const {
  const std::lock_guard lock(mutex_);
  std::map<scrubbers::SecretClass, std::uint64_t> counts;
  for (const Value& value : seen_) ++counts[std::get<0>(value)];
  return counts;
}

}  // namespace tapedeck::proxy
