#pragma once
// What of a cassette may go (`tapedeck prune`).

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::tools {

/// A sequence that a run did not play.
struct UnusedSequence {
  std::string cassette;    ///< path, as that run had it
  std::string scope, key;  ///< the scope as it is shown
  std::uint32_t take = 0, lane = 0;
  auto operator<=>(const UnusedSequence&) const = default;
};
/// Of a report of `exec`. Throws std::invalid_argument with one line.
[[nodiscard]] std::vector<UnusedSequence> unused_in_report(std::string_view json);

/// Within the takes and scopes that are named (all, when none is): everything, when nothing else is asked for; else
/// what any of the other rules is about.
struct PruneRules {
  std::vector<std::uint32_t> takes;
  std::vector<std::string> scopes;  ///< decoded
  bool superseded = false;          ///< what no session can be played any more (cassettes/read/superseded.h)
  bool broken = false;
  bool by_reports = false;
  std::vector<UnusedSequence> unused;  ///< in every report
};

/// Ids of what goes, as tools::id_number() has them.
[[nodiscard]] std::unordered_set<std::uint64_t> pruned(const cassettes::CassetteReader& cassette,
                                                       const PruneRules& rules);

/// The sequences that are in all of them.
[[nodiscard]] std::vector<UnusedSequence> in_all(std::vector<std::vector<UnusedSequence>> reports);

}  // namespace tapedeck::tools
