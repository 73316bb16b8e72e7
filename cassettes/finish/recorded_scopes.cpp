#include "cassettes/finish/recorded_scopes.h"

#include <set>

#include "cassettes/file/format.h"
#include "cassettes/write/take_event.h"

namespace tapedeck::cassettes {

std::map<std::string, KeptRun> kept_runs(SQLite::Database& recording, bool has_ended,
                                         const std::function<std::string(std::string)>& stored) {
  using Run = std::pair<std::string, std::uint32_t>;
  constexpr auto complete = static_cast<std::int64_t>(TakeEvent::Kind::scope_complete);
  constexpr auto failed = static_cast<std::int64_t>(TakeEvent::Kind::scope_failed);
  std::set<Run> there, whole, dropped;
  Query rows(recording, "SELECT DISTINCT scope, run FROM recorded");
  while (rows.step()) there.emplace(stored(rows.string(0)), rows.small(1));
  Query events(recording, "SELECT name, run, kind FROM note WHERE kind IN (?, ?)");
  events.integer(complete).integer(failed);
  while (events.step()) {
    const Run run{stored(events.string(0)), events.small(1)};
    (events.number(2) == failed ? dropped : whole).insert(run);
  }
  // A scope may be complete without a call.
  there.insert(whole.begin(), whole.end());
  std::map<std::string, KeptRun> runs;
  for (const Run& run : there) {
    const auto& [name, number] = run;
    const bool unscoped = name.empty();
    if (!unscoped && dropped.contains(run)) continue;
    const bool is_complete = unscoped || has_ended || whole.contains(run);
    const auto [found, is_new] = runs.try_emplace(name, KeptRun{number, is_complete});
    // The runs come in ascending order, so a later complete run replaces an earlier one.
    if (!is_new && (is_complete || !found->second.complete)) found->second = {number, is_complete};
  }
  return runs;
}

}  // namespace tapedeck::cassettes
