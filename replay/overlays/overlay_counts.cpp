#include "replay/overlays/overlay_counts.h"

#include <iterator>

namespace tapedeck::replay {

std::shared_ptr<OverlayOwner> OverlayCounts::owner(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (const auto found = owners_.find(name); found != owners_.end()) {
    order_.splice(order_.begin(), order_, found->second);
    return order_.front();
  }
  if (order_.size() >= max_owners) drop(std::prev(order_.end()));
  order_.push_front(std::make_shared<OverlayOwner>(std::string(name)));
  owners_.emplace(order_.front()->name, order_.begin());
  return order_.front();
}

void OverlayCounts::drop(Order::iterator owner) {
  owners_.erase((*owner)->name);
  order_.erase(owner);
}

void OverlayCounts::keep_only(const std::unordered_set<std::uint64_t>& overlays,
                              const std::vector<EffectPtr>& effects) {
  const std::lock_guard lock(mutex_);
  for (const auto& owner : order_) {
    const std::lock_guard owner_lock(owner->mutex);
    std::erase_if(owner->counts, [&](const auto& count) { return !overlays.contains(count.first); });
    owner->effects.keep_only(effects);
  }
}

void OverlayCounts::forget_effects(std::string_view name) {
  const auto found = owner(name);
  const std::lock_guard lock(found->mutex);
  found->effects = {};
}

void OverlayCounts::forget(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = owners_.find(name);
  if (found != owners_.end()) drop(found->second);
}

void OverlayCounts::forget_all() {
  const std::lock_guard lock(mutex_);
  while (!order_.empty()) drop(order_.begin());
}

std::vector<std::shared_ptr<OverlayOwner>> OverlayCounts::owners() const {
  const std::lock_guard lock(mutex_);
  return {order_.begin(), order_.end()};
}

std::size_t OverlayCounts::size() const {
  const std::lock_guard lock(mutex_);
  return order_.size();
}

}  // namespace tapedeck::replay
