#include "proxy/recording_scopes.h"

#include <algorithm>

#include "api/envelope.h"
#include "base/clock.h"
#include "base/digest.h"

namespace tapedeck::proxy {
namespace {

using Kind = cassettes::TakeEvent::Kind;

std::string digest_of(std::string_view id) { return base::to_hex(base::sha256(id)); }

}  // namespace

void RecordingScopes::connect(Parts parts) {
  const std::lock_guard lock(mutex_);
  parts_ = std::move(parts);
}

void RecordingScopes::disconnect() {
  const std::lock_guard lock(mutex_);
  parts_.tell = nullptr;
}

std::optional<api::ScopeName> RecordingScopes::of(const api::RequestedScope& said, std::string_view id) {
  const std::lock_guard lock(mutex_);
  std::optional<api::ScopeName> scope = said.scope ? said.scope : default_;
  if (!scope && !id.empty() && !ids_.empty()) {
    if (const auto known = ids_.find(digest_of(id)); known != ids_.end()) scope = known->second;
  }
  if (scope) begun(*scope);
  return scope;
}

void RecordingScopes::answered(const api::ScopeName& scope, const api::Interaction& login) {
  for (const std::string& id : api::login_ids(login.response)) {
    const std::string digest = digest_of(id);
    const std::lock_guard lock(mutex_);
    if (ids_.size() >= most_ids) ids_.clear();
    ids_.insert_or_assign(digest, scope);
  }
}

void RecordingScopes::begun(const api::ScopeName& scope) {
  std::set<std::uint32_t>& runs = runs_[scope.name];
  if (runs.contains(scope.run)) return;
  if (runs.size() < most_runs) runs.insert(scope.run);
  std::uint32_t& last = last_runs_[scope.name];
  last = std::max(last, scope.run);
}

void RecordingScopes::tell(Kind kind, const api::ScopeName& scope) {
  if (!parts_.tell) return;
  cassettes::TakeEvent event;
  event.kind = kind;
  event.at_us = base::now_us();
  event.name = parts_.stored(scope.name);
  event.run = scope.run;
  parts_.tell(std::move(event));
}

void RecordingScopes::set_default(std::optional<api::ScopeName> scope) {
  const std::lock_guard lock(mutex_);
  default_ = std::move(scope);
}

api::ScopeName RecordingScopes::next_run(const std::string& name) {
  const std::lock_guard lock(mutex_);
  expects_results_ = true;
  return {name, ++last_runs_[name]};
}

void RecordingScopes::result(const api::ScopeName& scope, bool ok) {
  const std::lock_guard lock(mutex_);
  begun(scope);
  expects_results_ = true;
  reported_.insert(scope.text());
  tell(ok ? Kind::scope_complete : Kind::scope_failed, scope);
}

void RecordingScopes::drop(const api::ScopeName& scope) {
  const std::lock_guard lock(mutex_);
  begun(scope);
  reported_.insert(scope.text());
  tell(Kind::scope_failed, scope);
}

void RecordingScopes::expect_results() {
  const std::lock_guard lock(mutex_);
  expects_results_ = true;
}

std::vector<std::string> RecordingScopes::end(Unreported unreported) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> dropped;
  if (!expects_results_ || unreported == Unreported::complete) return dropped;
  for (const auto& [name, runs] : runs_) {
    for (const std::uint32_t number : runs) {
      const api::ScopeName run{name, number};
      if (run == default_ || reported_.contains(run.text())) continue;
      tell(Kind::scope_failed, run);
      dropped.push_back(shown_unlocked(run));
    }
  }
  return dropped;
}

std::string RecordingScopes::shown(const api::ScopeName& scope) const {
  const std::lock_guard lock(mutex_);
  return shown_unlocked(scope);
}

std::string RecordingScopes::shown_unlocked(const api::ScopeName& scope) const {
  const std::string name = api::shown_scope(parts_.stored ? parts_.stored(scope.name) : scope.name);
  return scope.run == 1 ? name : name + "#" + std::to_string(scope.run);
}

std::vector<std::string> RecordingScopes::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, runs] : runs_) {
    for (const std::uint32_t run : runs) names.push_back(api::ScopeName{name, run}.text());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> RecordingScopes::clashes() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, int> stored;
  for (const auto& [name, runs] : runs_) ++stored[parts_.stored ? parts_.stored(name) : name];
  std::vector<std::string> clashes;
  for (const auto& [name, count] : stored) {
    if (count > 1) clashes.push_back(name);
  }
  return clashes;
}

}  // namespace tapedeck::proxy
