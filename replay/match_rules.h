#pragma once
// Reads rules of looser matching from the command line and tapedeck.toml (docs/matching.md, "Looser matching").

#include "replay/chain/replay_options.h"
#include "replay/recorded/match.h"

namespace tapedeck::base {
class TomlFile;
}

namespace tapedeck::replay {

/// Adds the tables [[replay.match]], and replay.match_headers, of a tapedeck.toml. Throws std::invalid_argument with
/// one line, "tapedeck.toml:12: …".
void apply_match_rules(const base::TomlFile& file, ReplayOptions& options);

/// Returns why this header cannot be one of ReplayOptions::match_headers. Empty if it can.
[[nodiscard]] std::string wrong_match_header(const std::string& name);

/// Returns a parameter that one of `match` binds although one of `rules` names it, or nothing if there is none.
[[nodiscard]] std::optional<std::string> secret_bind(const scrubbers::RuleSet& rules,
                                                     const std::vector<MatchRule>& match);

/// Returns all rules of the options together.
[[nodiscard]] Looseness looseness_of(const ReplayOptions& options);

}  // namespace tapedeck::replay
