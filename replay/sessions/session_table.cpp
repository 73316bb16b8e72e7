#include "replay/sessions/session_table.h"

#include <algorithm>
#include <vector>

#include "base/text_hash.h"

namespace tapedeck::replay {
namespace {

/// Drops entries that nothing else refers to, once a map has become too large.
template <typename Map>
void drop_unused(Map& map) {
  if (map.size() < 2 * SessionTable::max_sessions) return;
  std::erase_if(map, [](const auto& entry) { return entry.second.use_count() == 1; });
}

}  // namespace

SessionTable::SessionTable(SessionNumbers numbers, ScopeText scope)
    : numbers_(std::move(numbers)),
      scope_(std::move(scope)),
      most_(scope_ ? max_in_run : max_sessions),
      shards_(scope_ ? 1 : 64),
      anonymous_(std::make_shared<Session>(Session::Kind::anonymous, std::string(), MintShapes(), scope_)) {}

SessionTable::Shard& SessionTable::shard(std::string_view id) const {
  return shards_[base::TextHash{}(id) % shards_.size()];
}

std::shared_ptr<const Session> SessionTable::find(std::string_view id) const {
  if (!has_odd_ids_.load(std::memory_order_relaxed) && !is_adoptable(id)) return nullptr;
  return id.size() > longest_name ? find_short(short_name(id)) : find_short(id);
}

std::shared_ptr<const Session> SessionTable::find_short(std::string_view name) const {
  const Shard& place = shard(name);
  const std::shared_lock lock(place.mutex);
  const auto found = place.sessions.find(name);
  if (found == place.sessions.end()) return nullptr;
  found->second->last_used.store(age_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return found->second;
}

bool SessionTable::insert(const std::shared_ptr<const Session>& session) {
  session->number = ++*numbers_;
  session->last_used = ++age_;
  {
    Shard& place = shard(session->known_as());
    const std::unique_lock lock(place.mutex);
    if (session->login_account == 0 && !place.sessions.contains(session->known_as())) {
      const std::uint32_t stray = strays_++;
      session->login_index = {stray, stray, false};
    }
    const auto [entry, is_new] = place.sessions.try_emplace(session->known_as(), session);
    if (!is_new) {
      // An ID that a client kept from an earlier run must not change the result of a login.
      const bool gives_way =
          session->kind() == Session::Kind::minted && entry->second->kind() == Session::Kind::adopted;
      if (!gives_way) return false;
      replace(place, session);
    } else {
      ++size_;
    }
  }
  make_room();
  return true;
}

void SessionTable::replace(Shard& place, const std::shared_ptr<const Session>& session) {
  place.sessions.erase(session->known_as());
  place.sessions.emplace(session->known_as(), session);
}

std::shared_ptr<const Session> SessionTable::find_or_adopt(std::string_view id, const MintShapes& shapes) {
  const std::string shortened = id.size() > longest_name ? short_name(id) : std::string();
  const std::string_view name = shortened.empty() ? id : std::string_view(shortened);
  if (auto found = find_short(name)) return found;
  if (!is_adoptable(id)) has_odd_ids_ = true;
  auto session = std::make_shared<Session>(Session::Kind::adopted, std::string(name), shapes, scope_);
  if (insert(session)) return session;
  auto other = find_short(name);
  return other ? other : session;
}

std::shared_ptr<Account> SessionTable::account(std::string_view name) {
  auto made = std::make_shared<Account>(short_name(name), scope_);
  const std::lock_guard lock(names_mutex_);
  if (const auto found = accounts_.find(made->name); found != accounts_.end()) return found->second;
  drop_unused(accounts_);
  return accounts_.emplace(made->name, made).first->second;
}

void SessionTable::number(Account& account) {
  if (account.number == 0 && !account.name.empty()) account.number = ties_.add(account.name);
}

std::shared_ptr<const Session> SessionTable::log_in(const std::shared_ptr<Account>& account, const MintShapes& shapes,
                                                    bool has_handshake, std::string_view password) {
  const SessionIndex index = account->next(has_handshake);
  const std::uint32_t ordinal = account->logins++;
  if (has_handshake) ++account->logins_with_handshake;
  // If a recorded ID is very short, two accounts may generate the same one.
  constexpr unsigned most_attempts = 64;
  std::shared_ptr<const Session> session;
  for (unsigned attempt = 0; attempt < most_attempts; ++attempt) {
    session = std::make_shared<Session>(account, ordinal, shapes, attempt);
    session->login_account = account->number;
    session->login_index = index;
    session->login_secret = password;
    if (insert(session)) return session;
  }
  Shard& place = shard(session->known_as());
  const std::unique_lock lock(place.mutex);
  replace(place, session);
  return session;
}

std::shared_ptr<const Session> SessionTable::take_in(const Session& outside) {
  auto session = std::make_shared<Session>(outside, account(outside.account().name));
  if (insert(session)) return session;
  auto other = find(outside.id());
  return other ? other : session;
}

void SessionTable::make_room() {
  if (size_.load() <= most_) return;
  const std::lock_guard one_at_a_time(eviction_);
  if (size_.load() <= most_) return;
  std::vector<std::pair<std::uint64_t, std::string>> by_age;
  for (Shard& place : shards_) {
    const std::shared_lock lock(place.mutex);
    for (const auto& [id, session] : place.sessions) by_age.emplace_back(session->last_used.load(), id);
  }
  // Drops a hundredth at a time, so that only one in a hundred logins pays for the search.
  const std::size_t count = std::min(by_age.size(), by_age.size() - most_ + most_ / 100);
  std::partial_sort(by_age.begin(), by_age.begin() + static_cast<std::ptrdiff_t>(count), by_age.end());
  for (std::size_t i = 0; i < count; ++i) {
    Shard& place = shard(by_age[i].second);
    const std::unique_lock lock(place.mutex);
    size_ -= place.sessions.erase(by_age[i].second);
  }
}

std::vector<std::shared_ptr<const Session>> SessionTable::all() const {
  std::vector<std::shared_ptr<const Session>> sessions;
  for (const Shard& place : shards_) {
    const std::shared_lock lock(place.mutex);
    for (const auto& [id, session] : place.sessions) sessions.push_back(session);
  }
  return sessions;
}

void SessionTable::reset() {
  for (const auto& session : all()) session->cursors().reset();
  anonymous_->cursors().reset();
  anonymous_->account().cursors.reset();
  global_.reset();
  lane_writes_.reset();
  const std::lock_guard lock(names_mutex_);
  for (const auto& [name, account] : accounts_) account->cursors.reset();
}

void SessionTable::drop() {
  for (Shard& place : shards_) {
    const std::unique_lock lock(place.mutex);
    size_ -= place.sessions.size();
    place.sessions.clear();
  }
  anonymous_->cursors().reset();
  anonymous_->account().cursors.reset();
  global_.reset();
  strays_ = 0;
  ties_.clear();
  lane_writes_.reset();
  const std::lock_guard lock(names_mutex_);
  accounts_.clear();
}

void SessionTable::drop(const Session& session) {
  Shard& place = shard(session.known_as());
  const std::unique_lock lock(place.mutex);
  size_ -= place.sessions.erase(session.known_as());
}

}  // namespace tapedeck::replay
