#pragma once
// Counts the uses of each overlay by owner, and stores states (docs/mocking.md, "Counters").

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "replay/effects/effect_state.h"

namespace tapedeck::replay {

/// The counters of one run of a scope, one account, or one ID. `mutex` guards everything except the name.
struct OverlayOwner {
  struct Count {
    std::uint64_t fits = 0;   ///< number of matches
    std::uint64_t plays = 0;  ///< number of responses
  };
  explicit OverlayOwner(std::string owner_name) : name(std::move(owner_name)) {}

  const std::string name;
  std::mutex mutex;
  std::string state;
  std::unordered_set<std::string> made;             ///< patterns of `after` that a successful call has matched
  std::unordered_map<std::uint64_t, Count> counts;  ///< key: the overlay's ID
  EffectState effects;                              ///< effects of the owner's writes
};

/// Thread-safe. Owners that were not used for the longest time are dropped first.
class OverlayCounts {
 public:
  static constexpr std::size_t max_owners = 10'000;

  [[nodiscard]] std::shared_ptr<OverlayOwner> owner(std::string_view name);

  /// Drops the counters of all other overlays, and the changes of all other effects.
  void keep_only(const std::unordered_set<std::uint64_t>& overlays, const std::vector<EffectPtr>& effects = {});
  /// Drops the changes of an owner's writes.
  void forget_effects(std::string_view name);
  /// Resets an owner.
  void forget(std::string_view name);
  void forget_all();
  [[nodiscard]] std::size_t size() const;
  /// Returns the owners, sorted by last use, with the latest one first.
  [[nodiscard]] std::vector<std::shared_ptr<OverlayOwner>> owners() const;

 private:
  using Order = std::list<std::shared_ptr<OverlayOwner>>;
  void drop(Order::iterator owner);

  mutable std::mutex mutex_;
  Order order_;  ///< sorted by last use, with the latest one first; guarded by mutex_, like `owners_`
  std::unordered_map<std::string_view, Order::iterator> owners_;  ///< the keys are views of names in the owners
};

}  // namespace tapedeck::replay
