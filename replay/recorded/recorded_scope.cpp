#include "replay/recorded/recorded_scope.h"

#include <algorithm>

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

}  // namespace tapedeck::replay
