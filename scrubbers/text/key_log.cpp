#include "scrubbers/text/key_log.h"

namespace tapedeck::scrubbers {

void KeyLog::remember(std::uint64_t value) {
  if (hashes_.size() >= recent_.size() && recent_.size() < most_slots) {
    recent_.assign(recent_.empty() ? first_slots : 4 * recent_.size(), 0);
    hashes_.reserve(recent_.size());
  }
  recent_[value & (recent_.size() - 1)] = value;
  if (hashes_.size() < most) hashes_.push_back(value);
}

}  // namespace tapedeck::scrubbers
