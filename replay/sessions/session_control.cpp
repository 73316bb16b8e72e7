// Session and scope functions for the control API.

#include <algorithm>

#include "base/text.h"
#include "replay/sessions/scopes.h"

namespace tapedeck::replay {
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
