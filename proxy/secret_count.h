#pragma once
// How many secrets a recording has met so far, for whoever watches it.

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::proxy {

/// Thread-safe.
class SecretCount {
 public:
  static constexpr std::size_t most = 100'000;  ///< values that are told apart; more are not counted

  /// The values that were replaced in it.
  void add(const scrubbers::InteractionRecord& record);
  /// Different values by class.
  [[nodiscard]] std::map<scrubbers::SecretClass, std::uint64_t> by_class() const;

 private:
  /// Class, session and which of its values: as redactions name a value.
  using Value = std::tuple<scrubbers::SecretClass, std::uint32_t, std::uint32_t>;
  mutable std::mutex mutex_;
  std::set<Value> seen_;
};

}  // namespace tapedeck::proxy
