#include "replay/recorded/recorded_scope.h"

#include <algorithm>
#include <set>

#include "api/scope_name.h"

namespace tapedeck::replay {

std::shared_ptr<const RecordedScope> RecordedScope::find(const cassettes::CassetteReader& reader,
                                                         std::string_view name) {
  const std::vector<cassettes::ScopeTake> takes = reader.scope(name);
  if (name.empty() || takes.empty()) return nullptr;
  const auto whole = std::find_if(takes.begin(), takes.end(), [](const auto& take) { return take.complete; });
  const cassettes::ScopeTake& chosen = whole != takes.end() ? *whole : takes.front();
  RecordedScope scope{std::string(name), chosen.take, chosen.complete, chosen.lanes};
  scope.sessions = recorded_sessions(reader, chosen.take, name);
  scope.accounts = recorded_accounts(reader, name, chosen.take);
  return std::make_shared<const RecordedScope>(std::move(scope));
}

RecordedSessions::Place RecordedSessions::place(std::uint32_t account, const SessionIndex& index, bool in_scope) const {
  if (by_account.empty()) return {account, 0};
  const auto found = by_account.find(account);
  const auto& [number, of_account] = found == by_account.end() ? *by_account.begin() : *found;
  const auto& of_kind = index.has_handshake ? of_account.with_handshake : of_account.without_handshake;
  const auto& lanes = of_kind.empty() ? of_account.all : of_kind;
  const std::uint32_t place = of_kind.empty() ? index.place : index.place_of_kind;
  const std::size_t last = lanes.size() - 1;
  return {number, lanes[in_scope ? std::min<std::size_t>(place, last) : place % lanes.size()]};
}

RecordedSessions recorded_sessions(const cassettes::CassetteReader& reader, std::uint32_t take,
                                   std::string_view scope) {
  RecordedSessions sessions;
  for (const cassettes::RecordedSession& session : reader.sessions(take, scope)) {
    RecordedSessions::Lanes& lanes = sessions.by_account[session.account];
    lanes.all.push_back(session.lane);
    (session.has_handshake ? lanes.with_handshake : lanes.without_handshake).push_back(session.lane);
  }
  return sessions;
}

RecordedAccounts recorded_accounts(const cassettes::CassetteReader& reader, std::string_view scope,
                                   std::optional<std::uint32_t> take) {
  std::map<std::uint32_t, std::optional<std::uint64_t>> keys;
  for (const cassettes::Take& one : reader.info().takes) keys[one.number] = one.account_key;
  std::vector<RecordedAccounts::One> all;
  for (const cassettes::RecordedAccount& one : reader.accounts(scope)) {
    if (!take || one.take == *take) all.push_back({one.take, one.number, keys[one.take], one.check});
  }
  std::set<std::uint32_t> takes;
  for (const RecordedAccounts::One& one : all) takes.insert(one.take);
  const bool has_unknown = std::any_of(takes.begin(), takes.end(),
                                       [&](std::uint32_t number) { return reader.has_unknown_account(number, scope); });
  return {all, has_unknown};
}

std::unique_ptr<const ScopeNames> ScopeNames::of(const cassettes::CassetteReader& reader) {
  auto names = std::make_unique<ScopeNames>();
  bool has_any = false;
  std::string last;
  reader.scopes([&](const cassettes::ScopeTake& scope) {
    has_any = true;
    if (scope.name != last && api::has_redacted_place(scope.name)) names->redacted_.push_back(scope.name);
    last = scope.name;
    return true;
  });
  if (!has_any) return nullptr;
  if (names->redacted_.empty()) return names;
  reader.scopes([&](const cassettes::ScopeTake& scope) {
    if (!api::has_redacted_place(scope.name)) names->plain_.insert(scope.name);
    return true;
  });
  return names;
}

std::string ScopeNames::stored(const std::string& name) const {
  if (redacted_.empty() || plain_.contains(name)) return name;
  const auto fitting = std::find_if(redacted_.begin(), redacted_.end(),
                                    [&](const std::string& one) { return api::fits_redacted(name, one); });
  return fitting == redacted_.end() ? name : *fitting;
}

void PlayedScopes::add(const cassettes::CassetteReader& reader, const ScopeNames* names) {
  if (names == nullptr) return;
  Cassette& cassette = cassettes_.emplace_back(Cassette{names, {}});
  reader.scopes([&cassette](const cassettes::ScopeTake& scope) {
    if (scope.complete) cassette.whole.insert(scope.name);
    return true;
  });
}

bool PlayedScopes::has(const std::string& name) const {
  return std::any_of(cassettes_.begin(), cassettes_.end(), [&](const Cassette& cassette) {
    const std::string stored = cassette.names->stored(name);
    return cassette.whole.contains(stored) && !is_rerecorded(name, stored);
  });
}

bool PlayedScopes::is_rerecorded(const std::string& name, const std::string& stored) const {
  return std::any_of(rerecord_.begin(), rerecord_.end(), [&](const api::ScopeName& one) {
    return one.name == name || one.text() == api::shown_scope(stored);
  });
}

}  // namespace tapedeck::replay
