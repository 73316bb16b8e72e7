#pragma once
// The rules of looser matching that are in force now: those of the start, and what was added or taken away since.

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
  static constexpr std::size_t most = 1'000;  ///< rules at once

  struct Rule {
    std::uint64_t id = 0;  ///< from 1, never used again
    MatchRule rule;
  };

  explicit LiveRules(Looseness looseness);

  /// Grows with every change: who has asked for current() since may go on using what it was given.
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  [[nodiscard]] std::shared_ptr<const Looseness> current() const;
  [[nodiscard]] std::vector<Rule> list() const;

  /// Its id; nothing when there are too many rules.
  std::optional<std::uint64_t> add(MatchRule rule);
  /// False when there is none with that id.
  bool remove(std::uint64_t id);

 private:
  void put_in_force();

  std::atomic<std::uint64_t> version_ = 0;
  mutable std::mutex mutex_;  ///< guards what follows
  std::vector<Rule> rules_;
  std::uint64_t last_id_ = 0;
  std::shared_ptr<const Looseness> current_;
};

}  // namespace tapedeck::replay
