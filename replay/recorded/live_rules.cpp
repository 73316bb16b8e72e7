#include "replay/recorded/live_rules.h"

#include <utility>

namespace tapedeck::replay {

LiveRules::LiveRules(Looseness looseness) {
  for (MatchRule& rule : looseness.rules) rules_.push_back({++last_id_, std::move(rule)});
  put_in_force();
}

std::shared_ptr<const Looseness> LiveRules::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

std::vector<LiveRules::Rule> LiveRules::list() const {
  const std::lock_guard lock(mutex_);
  return rules_;
}

std::optional<std::uint64_t> LiveRules::add(MatchRule rule) {
  const std::lock_guard lock(mutex_);
  if (rules_.size() >= most) return std::nullopt;
  rules_.push_back({++last_id_, std::move(rule)});
  put_in_force();
  return last_id_;
}

bool LiveRules::remove(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (std::erase_if(rules_, [id](const Rule& rule) { return rule.id == id; }) == 0) return false;
  put_in_force();
  return true;
}

void LiveRules::put_in_force() {
  Looseness looseness;
  for (const Rule& rule : rules_) looseness.rules.push_back(rule.rule);
  current_ = std::make_shared<const Looseness>(std::move(looseness));
  version_.fetch_add(1, std::memory_order_release);
}

}  // namespace tapedeck::replay
