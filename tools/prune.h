#pragma once
// Finds interactions that can be removed from a cassette (`tapedeck rm`).

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "tools/selection.h"

namespace tapedeck::tools {

/// A sequence that a run did not replay.
struct UnusedSequence {
  std::string scope, key;  ///< the scope in its displayed form, and the key
  std::uint32_t take = 0, lane = 0;
  auto operator<=>(const UnusedSequence&) const = default;
};
/// What one run says about a cassette.
struct UseReport {
  std::set<std::string> scopes;  ///< those that ran, in their displayed form
  std::set<UnusedSequence> unused;
};
/// Reads a report of `exec`. `is_cassette` decides whether a path in that run is the cassette. Throws
/// std::invalid_argument with one line.
[[nodiscard]] UseReport use_in_report(std::string_view json,
                                      const std::function<bool(const std::string& path)>& is_cassette);

/// Selects interactions. If no other rule is set, all of `within` match; otherwise, those that any other rule matches.
struct PruneRules {
  Selection within;
  bool superseded = false;  ///< interactions that no session can reach (cassettes/read/superseded.h)
  /// Sequences that no report has used: each one lists them, or their scope did not run.
  std::vector<UseReport> reports;
};

/// Returns the IDs to remove, in the form of tools::id_number().
[[nodiscard]] std::unordered_set<std::uint64_t> pruned(const cassettes::CassetteReader& cassette,
                                                       const PruneRules& rules);

}  // namespace tapedeck::tools
