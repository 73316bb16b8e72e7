#pragma once
// Looser matching as the command line and tapedeck.toml ask for it (docs/replay.md, "Looser matching").

#include <string>
#include <string_view>

#include "replay/recorded/match.h"
#include "replay/replay_options.h"

namespace tapedeck::replay {

/// Adds the tables [[replay.match]] of a tapedeck.toml. `file` names it in messages. Throws std::invalid_argument with
/// one line, "tapedeck.toml:12: …". Other tables are other people's.
void apply_match_toml(std::string_view text, std::string_view file, ReplayOptions& options);
/// The same out of a file.
void apply_match_file(const std::string& path, ReplayOptions& options);

/// All rules of the options together.
[[nodiscard]] Looseness looseness_of(const ReplayOptions& options);

}  // namespace tapedeck::replay
