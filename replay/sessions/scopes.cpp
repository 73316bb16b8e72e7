#include "replay/sessions/scopes.h"

#include <algorithm>
#include <utility>

namespace tapedeck::replay {

void ScopeRun::played_at(std::int64_t recorded_us) {
  std::int64_t before = latest_us_.load(std::memory_order_relaxed);
  while (before < recorded_us &&
         !latest_us_.compare_exchange_weak(before, recorded_us, std::memory_order_relaxed)) {
  }
}

void ScopeRun::reset() {
  sessions.reset();
  cursors.reset();
  latest_us_ = 0;
}

Scopes::Scopes() : outside_(std::make_shared<ScopeRun>(numbers_)) {}

std::shared_ptr<ScopeRun> Scopes::find(std::string_view text) const {
  const std::shared_lock lock(mutex_);
  const auto found = runs_.find(text);
  return found == runs_.end() ? nullptr : found->second;
}

std::shared_ptr<ScopeRun> Scopes::run(const api::ScopeName& scope) {
  auto run = find(scope.text());
  if (!run) {
    const std::unique_lock lock(mutex_);
    const auto found = runs_.find(scope.text());
    run = found != runs_.end() ? found->second : make(scope);
  }
  run->last_used = ++age_;
  return run;
}

std::shared_ptr<ScopeRun> Scopes::make(const api::ScopeName& scope) {
  if (runs_.size() >= max_runs) forget_oldest();
  auto run = std::make_shared<ScopeRun>(numbers_, scope);
  run->last_used = ++age_;
  runs_[*run->text] = run;
  std::uint32_t& last = last_runs_[scope.name];
  last = std::max(last, scope.run);
  has_runs_ = true;
  constexpr std::size_t most_names = 100'000;
  if (ran_.size() < most_names) ran_.insert(scope.name);
  return run;
}

/// Drops a hundredth of the runs at a time, so that only one in a hundred new runs pays for the search.
void Scopes::forget_oldest() {
  std::vector<std::pair<std::uint64_t, std::string>> by_age;
  for (const auto& [text, run] : runs_) by_age.emplace_back(run->last_used.load(), text);
  const std::size_t count = std::min(by_age.size(), max_runs / 100);
  std::partial_sort(by_age.begin(), by_age.begin() + static_cast<std::ptrdiff_t>(count), by_age.end());
  for (std::size_t i = 0; i < count; ++i) runs_.erase(by_age[i].second);
  std::unordered_set<std::string_view> names;
  for (const auto& [text, run] : runs_) names.insert(run->name);
  std::erase_if(last_runs_, [&names](const auto& entry) { return !names.contains(entry.first); });
  std::erase_if(ids_, [](const auto& entry) { return entry.second.expired(); });
}

std::shared_ptr<ScopeRun> Scopes::of_id(std::string_view id) const {
  if (!has_runs_.load(std::memory_order_relaxed)) return nullptr;
  const std::shared_lock lock(mutex_);
  const auto found = ids_.find(id);
  auto run = found == ids_.end() ? nullptr : found->second.lock();
  return run && run->sessions.find(id) != nullptr ? run : nullptr;
}

void Scopes::minted(const Session& session, const std::shared_ptr<ScopeRun>& in) {
  const std::unique_lock lock(mutex_);
  if (ids_.size() >= 2 * SessionTable::max_sessions) {
    std::erase_if(ids_, [](const auto& entry) {
      const auto run = entry.second.lock();
      return !run || run->sessions.find(entry.first) == nullptr;
    });
  }
  if (ids_.size() >= 10 * SessionTable::max_sessions) ids_.clear();
  ids_[session.id()] = in;
}

std::vector<std::string> Scopes::ran() const {
  const std::shared_lock lock(mutex_);
  return {ran_.begin(), ran_.end()};
}

std::shared_ptr<ScopeRun> Scopes::current() {
  if (!has_current_.load(std::memory_order_relaxed)) return nullptr;
  std::optional<api::ScopeName> scope;
  {
    const std::shared_lock lock(mutex_);
    scope = current_;
  }
  return scope ? run(*scope) : nullptr;
}

void Scopes::begin(const api::ScopeName& scope) {
  const std::unique_lock lock(mutex_);
  if (current_ == scope) make(scope);
  current_ = scope;
  has_current_ = true;
}

void Scopes::end() {
  const std::unique_lock lock(mutex_);
  current_.reset();
  has_current_ = false;
}

api::ScopeName Scopes::next_run(const std::string& name) {
  const std::unique_lock lock(mutex_);
  const auto known = last_runs_.find(name);
  const api::ScopeName next{name, known == last_runs_.end() ? 1 : known->second + 1};
  make(next);
  return next;
}

}  // namespace tapedeck::replay
