#pragma once
// Stores the current rules of looser matching: the initial ones with all later changes.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "replay/recorded/match.h"

namespace tapedeck::replay {

/// Thread-safe.
class LiveRules {
 public:
  static constexpr std::size_t most = 1'000;  ///< the maximum number of rules

  struct Rule {
    std::uint64_t id = 0;  ///< from 1, never reused
    MatchRule rule;
  };

  explicit LiveRules(Looseness looseness);

  /// Returns a number that grows with every change. A result of current() is valid until then.
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  [[nodiscard]] std::shared_ptr<const Looseness> current() const;
  [[nodiscard]] std::vector<Rule> list() const;

  /// Adds a rule. Returns its ID, or nothing if there are too many rules.
  std::optional<std::uint64_t> add(MatchRule rule);
  /// Removes a rule. Returns false if there is none with this ID.
  bool remove(std::uint64_t id);

 private:
  void put_in_force();

  std::atomic<std::uint64_t> version_ = 0;
  mutable std::mutex mutex_;  ///< guards the following members
  std::vector<Rule> rules_;
  std::uint64_t last_id_ = 0;
  std::shared_ptr<const Looseness> current_;
};

}  // namespace tapedeck::replay
