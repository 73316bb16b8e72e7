#include "cassettes/finish/recorded_scopes.h"

#include <set>

#include "cassettes/write/take_info.h"

namespace tapedeck::cassettes {

RecordedScopes::RecordedScopes(SQLite::Database& database, std::uint32_t ended_take) {
  using Run = std::pair<Name, std::uint32_t>;
  constexpr auto complete = static_cast<std::int64_t>(TakeEvent::Kind::scope_complete);
  constexpr auto failed = static_cast<std::int64_t>(TakeEvent::Kind::scope_failed);
  std::set<Run> there, whole, dropped;
  Query rows(database, "SELECT DISTINCT take, scope, run FROM recorded");
  while (rows.step()) there.insert({{rows.small(0), rows.string(1)}, rows.small(2)});
  Query events(database, "SELECT take, name, run, kind FROM recorded_event WHERE kind IN (?, ?)");
  events.integer(complete).integer(failed);
  while (events.step()) {
    const Run run{{events.small(0), events.string(1)}, events.small(2)};
    (events.number(3) == complete ? whole : dropped).insert(run);
  }
  // A scope may be whole without a call.
  there.insert(whole.begin(), whole.end());
  for (const Run& run : there) {
    const auto& [name, number] = run;
    const bool unscoped = name.second.empty();
    if (!unscoped && dropped.contains(run)) continue;
    const bool is_complete = unscoped || name.first == ended_take || whole.contains(run);
    const auto [found, is_new] = kept_.try_emplace(name, Kept{number, is_complete});
    // In the order of their numbers.
    if (!is_new && (is_complete || !found->second.complete)) found->second = {number, is_complete};
  }
}

bool RecordedScopes::keeps(const Name& name, std::uint32_t run) const {
  const auto found = kept_.find(name);
  return found != kept_.end() && (name.second.empty() || found->second.run == run);
}

}  // namespace tapedeck::cassettes
