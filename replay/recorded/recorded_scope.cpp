#include "replay/recorded/recorded_scope.h"

#include <algorithm>

#include "api/scope_name.h"

namespace tapedeck::replay {

std::shared_ptr<const RecordedScope> RecordedScope::find(const cassettes::CassetteReader& reader,
                                                         std::string_view name) {
  const std::vector<cassettes::ScopeTake> takes = reader.scope(name);
  if (name.empty() || takes.empty()) return nullptr;
  const auto whole = std::find_if(takes.begin(), takes.end(), [](const auto& take) { return take.complete; });
  const cassettes::ScopeTake& chosen = whole != takes.end() ? *whole : takes.front();
  RecordedScope scope{std::string(name), chosen.take, chosen.complete, chosen.lanes};
  for (const cassettes::RecordedSession& session : reader.sessions(chosen.take, name)) {
    scope.by_account[session.account].push_back(session.lane);
  }
  return std::make_shared<const RecordedScope>(std::move(scope));
}

std::uint32_t RecordedScope::lane(std::uint32_t account, std::uint32_t place) const {
  const auto found = by_account.find(account);
  if (found == by_account.end()) return lanes == 0 ? 0 : 1;
  return found->second[std::min<std::size_t>(place, found->second.size() - 1)];
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
