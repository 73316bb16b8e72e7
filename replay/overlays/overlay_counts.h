#pragma once
// How often each overlay answered whom, and who is in which state (toolkit §2, "Whose counts").

#include <atomic>
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

/// What belongs to one run of a scope, one account or one id. All but the name is guarded by `mutex`.
struct OverlayOwner {
  struct Count {
    std::uint64_t fits = 0;   ///< how often it fitted
    std::uint64_t plays = 0;  ///< how often it answered
  };
  explicit OverlayOwner(std::string owner_name) : name(std::move(owner_name)) {}

  const std::string name;
  std::mutex mutex;
  std::string state;
  std::unordered_set<std::string> made;                    ///< patterns of `after` whose call succeeded
  std::unordered_map<std::uint64_t, Count> counts;         ///< by the overlay's id
  std::unordered_map<std::uint64_t, std::uint64_t> draws;  ///< how often, by overlay and key
  EffectState effects;                                     ///< what its writes change
};

/// Thread-safe. Owners are forgotten least recently used first.
class OverlayCounts {
 public:
  static constexpr std::size_t max_owners = 10'000;
  /// Of all owners together. Further keys of an owner share one number: their draws depend on the order of all of them.
  static constexpr std::size_t max_draws = 1'000'000;

  [[nodiscard]] std::shared_ptr<OverlayOwner> owner(std::string_view name);
  /// How often it was drawn for this overlay and key before. The owner's lock is held.
  [[nodiscard]] std::uint64_t next_draw(OverlayOwner& owner, std::uint64_t overlay, std::string_view key);

  /// Forgets the counts of all other overlays, and the changes of all other effects.
  void keep_only(const std::unordered_set<std::uint64_t>& overlays, const std::vector<EffectPtr>& effects = {});
  /// The writes of that owner change nothing any more.
  void forget_effects(std::string_view name);
  /// That owner begins anew.
  void forget(std::string_view name);
  void forget_all();
  [[nodiscard]] std::size_t size() const;
  /// The most recently used first.
  [[nodiscard]] std::vector<std::shared_ptr<OverlayOwner>> owners() const;

 private:
  using Order = std::list<std::shared_ptr<OverlayOwner>>;
  void drop(Order::iterator owner);

  mutable std::mutex mutex_;
  Order order_;  ///< the most recently used first; guarded by mutex_, as is `owners_`
  std::unordered_map<std::string_view, Order::iterator> owners_;  ///< names are the owners' own
  std::atomic<std::size_t> draws_ = 0;
};

}  // namespace tapedeck::replay
