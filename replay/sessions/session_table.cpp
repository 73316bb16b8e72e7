#include "replay/sessions/session_table.h"

#include <algorithm>
#include <vector>

namespace tapedeck::replay {
namespace {

/// Drops what nobody else holds, once a map of names has become too large.
template <typename Map>
void drop_unused(Map& map) {
  if (map.size() < 2 * SessionTable::max_sessions) return;
  std::erase_if(map, [](const auto& entry) { return entry.second.use_count() == 1; });
}

}  // namespace

SessionTable::SessionTable()
    : anonymous_(
          std::make_shared<Session>(Session::Kind::anonymous, std::make_shared<Account>("no id"), 0, MintShapes())) {}

SessionTable::Shard& SessionTable::shard(std::string_view id) const { return shards_[TextHash{}(id) % shards_.size()]; }

std::shared_ptr<const Session> SessionTable::find(std::string_view id) const {
  const Shard& place = shard(id);
  const std::shared_lock lock(place.mutex);
  const auto found = place.sessions.find(id);
  if (found == place.sessions.end()) return nullptr;
  found->second->last_used.store(age_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return found->second;
}

bool SessionTable::insert(const std::string& id, const std::shared_ptr<const Session>& session) {
  session->number = ++age_;
  session->last_used = session->number.load();
  {
    Shard& place = shard(id);
    const std::unique_lock lock(place.mutex);
    std::shared_ptr<const Session>& holder = place.sessions[id];
    // A client that kept an id from an earlier run does not change what a login gives.
    const bool gives_way =
        session->kind() == Session::Kind::minted && holder && holder->kind() == Session::Kind::adopted;
    if (holder && !gives_way) return false;
    if (!holder) ++size_;
    holder = session;
  }
  make_room();
  return true;
}

std::shared_ptr<const Session> SessionTable::find_or_adopt(std::string_view id, const MintShapes& shapes) {
  if (auto found = find(id)) return found;
  // An account of its own that no login can name: what one unknown id does never depends on the others.
  const std::string key(id);
  auto session = std::make_shared<Session>(Session::Kind::adopted, std::make_shared<Account>("id " + key), 0, shapes,
                                           is_adoptable(id) ? key : std::string());
  if (insert(key, session)) return session;
  auto other = find(id);
  return other ? other : session;
}

std::shared_ptr<Account> SessionTable::account(std::string_view name) {
  const std::lock_guard lock(names_mutex_);
  if (const auto found = accounts_.find(name); found != accounts_.end()) return found->second;
  drop_unused(accounts_);
  return accounts_.emplace(std::string(name), std::make_shared<Account>(std::string(name))).first->second;
}

std::shared_ptr<const Session> SessionTable::log_in(const std::shared_ptr<Account>& account, const MintShapes& shapes) {
  const std::uint32_t ordinal = account->logins++;
  // A recorded id can be so short that two accounts mint the same one.
  constexpr unsigned most_attempts = 64;
  std::shared_ptr<const Session> session;
  for (unsigned attempt = 0; attempt < most_attempts; ++attempt) {
    session = std::make_shared<Session>(Session::Kind::minted, account, ordinal, shapes, std::string(), attempt);
    if (insert(session->id(), session)) return session;
  }
  Shard& place = shard(session->id());
  const std::unique_lock lock(place.mutex);
  place.sessions.insert_or_assign(session->id(), session);
  return session;
}

void SessionTable::make_room() {
  if (size_.load() <= max_sessions) return;
  const std::lock_guard one_at_a_time(eviction_);
  if (size_.load() <= max_sessions) return;
  std::vector<std::pair<std::uint64_t, std::string>> by_age;
  for (Shard& place : shards_) {
    const std::shared_lock lock(place.mutex);
    for (const auto& [id, session] : place.sessions) by_age.emplace_back(session->last_used.load(), id);
  }
  // A hundredth at once, so that the sweep is paid for once in a hundred logins.
  const std::size_t count = std::min(by_age.size(), by_age.size() - max_sessions + max_sessions / 100);
  std::partial_sort(by_age.begin(), by_age.begin() + static_cast<std::ptrdiff_t>(count), by_age.end());
  for (std::size_t i = 0; i < count; ++i) {
    Shard& place = shard(by_age[i].second);
    const std::unique_lock lock(place.mutex);
    size_ -= place.sessions.erase(by_age[i].second);
  }
}

std::shared_ptr<CursorScope> SessionTable::named(std::string_view name) {
  const std::lock_guard lock(names_mutex_);
  if (const auto found = named_.find(name); found != named_.end()) return found->second;
  if (named_.size() >= max_sessions) named_.erase(named_.begin());
  return named_.emplace(std::string(name), std::make_shared<CursorScope>()).first->second;
}

}  // namespace tapedeck::replay
