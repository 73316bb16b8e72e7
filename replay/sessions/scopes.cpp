#include "replay/sessions/scopes.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace tapedeck::replay {

void ScopeRun::played_at(std::int64_t recorded_us) {
  std::int64_t before = latest_us_.load(std::memory_order_relaxed);
  while (before < recorded_us && !latest_us_.compare_exchange_weak(before, recorded_us, std::memory_order_relaxed)) {
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

api::ScopeName Scopes::next_run(const std::string& name) {
  const std::unique_lock lock(mutex_);
  const auto known = last_runs_.find(name);
  const api::ScopeName next{name, known == last_runs_.end() ? 1 : known->second + 1};
  make(next);
  return next;
}

namespace {

constexpr std::string_view numbered = "session ";
constexpr std::string_view anonymous_name = "no session";

void reset_cursors(const Session& session) {
  session.cursors().reset();
  session.account().cursors.reset();
}

}  // namespace

std::string display_name(const Session& session) {
  if (session.kind() == Session::Kind::anonymous) return std::string(anonymous_name);
  return std::string(numbered) + std::to_string(session.number.load());
}

std::vector<std::shared_ptr<ScopeRun>> Scopes::all_runs() const {
  std::vector<std::shared_ptr<ScopeRun>> runs = {outside_};
  const std::shared_lock lock(mutex_);
  for (const auto& [text, run] : runs_) runs.push_back(run);
  return runs;
}

std::vector<Scopes::ListedSession> Scopes::all() const {
  std::vector<ListedSession> all;
  for (const auto& run : all_runs()) {
    for (auto& session : run->sessions.all()) all.push_back({std::move(session), run->text});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.session->number < b.session->number; });
  return all;
}

std::vector<std::string> Scopes::names() const {
  std::vector<std::string> names;
  for (const auto& run : all_runs()) {
    if (run->text) names.push_back(*run->text);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<Scopes::ListedSession> Scopes::by_number(std::string_view name) const {
  if (name == anonymous_name) return ListedSession{outside_->sessions.anonymous(), nullptr};
  if (!name.starts_with(numbered)) return std::nullopt;
  const auto number = base::whole_number<std::uint64_t>(name.substr(numbered.size()));
  if (!number) return std::nullopt;
  for (ListedSession& listed : all()) {
    if (listed.session->number == *number) return std::move(listed);
  }
  return std::nullopt;
}

void Scopes::reset() {
  for (const auto& run : all_runs()) run->reset();
}

bool Scopes::reset(std::string_view name) {
  const auto listed = by_number(name);
  if (listed) reset_cursors(*listed->session);
  const auto run = find(name);
  if (run) run->reset();
  return listed.has_value() || run != nullptr;
}

void Scopes::drop() {
  outside_->sessions.drop();
  const std::unique_lock lock(mutex_);
  runs_.clear();
  last_runs_.clear();
  ids_.clear();
}

bool Scopes::drop(std::string_view name) {
  const auto listed = by_number(name);
  if (listed && listed->session->kind() == Session::Kind::anonymous) {
    reset_cursors(*listed->session);
  } else if (listed) {
    const auto run = listed->scope ? find(*listed->scope) : outside_;
    if (run) run->sessions.drop(*listed->session);
  }
  const std::unique_lock lock(mutex_);
  const auto run = runs_.find(name);
  const bool is_run = run != runs_.end();
  if (is_run) runs_.erase(run);
  return listed.has_value() || is_run;
}

}  // namespace tapedeck::replay
