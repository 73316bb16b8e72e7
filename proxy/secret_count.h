#pragma once
// Counts the secrets of a recording for display.

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::proxy {

/// Thread-safe.
class SecretCount {
 public:
  static constexpr std::size_t most = 100'000;  ///< different values; further ones are not counted

  /// Counts the values that were replaced in an interaction.
  void add(const scrubbers::InteractionRecord& record) {
    using scrubbers::Whose;
    const std::lock_guard lock(mutex_);
    for (const scrubbers::Redaction& row : record.redactions) {
      if (seen_.size() >= most) return;
      const std::uint32_t owner = row.whose == Whose::own       ? record.session
                                  : row.whose == Whose::another ? row.owner
                                                                : 0;
      seen_.emplace(row.secret_class, owner, row.ordinal);
    }
  }
  /// Returns the number of different values by class.
  [[nodiscard]] std::map<scrubbers::SecretClass, std::uint64_t> by_class() const {
    const std::lock_guard lock(mutex_);
    std::map<scrubbers::SecretClass, std::uint64_t> counts;
    for (const Value& value : seen_) ++counts[std::get<0>(value)];
    return counts;
  }

 private:
  /// class, session, and number, as redactions identify a value
  using Value = std::tuple<scrubbers::SecretClass, std::uint32_t, std::uint32_t>;
  mutable std::mutex mutex_;
  std::set<Value> seen_;
};

}  // namespace tapedeck::proxy
