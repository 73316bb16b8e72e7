#pragma once
// Recorded calls as overlays have them.

#include <string>
#include <string_view>

#include "cassettes/read/cassette_reader.h"
#include "replay/overlays/overlay_set.h"

namespace tapedeck::cli {

/// Returns the overlays that fit the request with that key, as far as its text tells: of `login_set` for a login,
/// otherwise of `set`.
[[nodiscard]] replay::OverlaySet::Candidates candidates_for(const replay::OverlaySet& set,
                                                            const replay::OverlaySet& login_set, const std::string& key);

/// A block [[overlay]] for the request with that key: its call or path, its parameters, then `answer`.
[[nodiscard]] std::string overlay_block(const std::string& key, std::string_view answer);

/// The lines of a recorded answer, `as` json, data, patch or error. Its own session's values are marks.
/// Throws UsageError for one that is no text.
[[nodiscard]] std::string answer_lines(const cassettes::FullInteraction& found, const std::string& as);

}  // namespace tapedeck::cli
