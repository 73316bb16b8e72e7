// What the control API does with sessions.

#include <algorithm>
#include <charconv>

#include "replay/sessions/session_table.h"

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

std::vector<std::shared_ptr<const Session>> SessionTable::all() const {
  std::vector<std::shared_ptr<const Session>> sessions;
  for (const Shard& place : shards_) {
    const std::shared_lock lock(place.mutex);
    for (const auto& [id, session] : place.sessions) sessions.push_back(session);
  }
  std::sort(sessions.begin(), sessions.end(), [](const auto& a, const auto& b) { return a->number < b->number; });
  return sessions;
}

std::vector<std::string> SessionTable::names() {
  const std::lock_guard lock(names_mutex_);
  std::vector<std::string> names;
  for (const auto& [name, scope] : named_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::shared_ptr<const Session> SessionTable::by_number(std::string_view name) const {
  if (name == anonymous_name) return anonymous_;
  if (!name.starts_with(numbered)) return nullptr;
  std::uint64_t number = 0;
  const std::string_view digits = name.substr(numbered.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return nullptr;
  for (const auto& session : all()) {
    if (session->number == number) return session;
  }
  return nullptr;
}

void SessionTable::reset() {
  for (const auto& session : all()) reset_cursors(*session);
  reset_cursors(*anonymous_);
  global_.reset();
  const std::lock_guard lock(names_mutex_);
  for (const auto& [name, scope] : named_) scope->reset();
  for (const auto& [name, account] : accounts_) account->cursors.reset();
}

bool SessionTable::reset(std::string_view name) {
  const auto session = by_number(name);
  if (session) reset_cursors(*session);
  const std::lock_guard lock(names_mutex_);
  const auto scope = named_.find(name);
  if (scope != named_.end()) scope->second->reset();
  return session != nullptr || scope != named_.end();
}

void SessionTable::drop() {
  for (Shard& place : shards_) {
    const std::unique_lock lock(place.mutex);
    size_ -= place.sessions.size();
    place.sessions.clear();
  }
  reset_cursors(*anonymous_);
  global_.reset();
  const std::lock_guard lock(names_mutex_);
  accounts_.clear();
  named_.clear();
}

bool SessionTable::drop(std::string_view name) {
  const auto session = by_number(name);
  if (session == anonymous_) {
    reset_cursors(*anonymous_);
  } else if (session) {
    for (Shard& place : shards_) {
      const std::unique_lock lock(place.mutex);
      size_ -= std::erase_if(place.sessions, [&session](const auto& entry) { return entry.second == session; });
    }
  }
  const std::lock_guard lock(names_mutex_);
  const auto scope = named_.find(name);
  const bool is_scope = scope != named_.end();
  if (is_scope) named_.erase(scope);
  return session != nullptr || is_scope;
}

}  // namespace tapedeck::replay
