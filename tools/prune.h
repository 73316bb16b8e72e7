#pragma once
// Finds interactions that can be removed from a cassette (`tapedeck rm`).

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "tools/selection.h"

namespace tapedeck::tools {

/// A sequence that a run did not replay.
struct UnusedSequence {
  std::string cassette;    ///< the path in that run
  std::string scope, key;  ///< the scope in its displayed form, and the key
  std::uint32_t take = 0, lane = 0;
  auto operator<=>(const UnusedSequence&) const = default;
};
/// Reads a report of `exec`. Throws std::invalid_argument with one line.
[[nodiscard]] std::vector<UnusedSequence> unused_in_report(std::string_view json);

/// Selects interactions. If no other rule is set, all of `within` match; otherwise, those that any other rule matches.
struct PruneRules {
  Selection within;
  bool superseded = false;  ///< interactions that no session can reach (cassettes/read/superseded.h)
  bool by_reports = false;
  std::vector<UnusedSequence> unused;  ///< sequences that are in every report
};

/// Returns the IDs to remove, in the form of tools::id_number().
[[nodiscard]] std::unordered_set<std::uint64_t> pruned(const cassettes::CassetteReader& cassette,
                                                       const PruneRules& rules);

/// Returns the sequences that are in all lists.
[[nodiscard]] std::vector<UnusedSequence> in_all(std::vector<std::vector<UnusedSequence>> reports);

}  // namespace tapedeck::tools
