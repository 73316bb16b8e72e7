#pragma once
// Writes recorded interactions as overlays.

#include <string>
#include <string_view>

#include "cassettes/read/cassette_reader.h"
#include "replay/overlays/overlay_set.h"

namespace tapedeck::cli {

/// Returns the overlays that may match a request with that key, as far as the key shows: from `login_set` for a login,
/// and otherwise from `set`.
[[nodiscard]] replay::OverlaySet::Candidates candidates_for(const replay::OverlaySet& set,
                                                            const replay::OverlaySet& login_set,
                                                            const std::string& key);

/// Returns an [[overlay]] block that matches the request with that key: its call or path, its parameters, and then
/// `response`.
[[nodiscard]] std::string overlay_block(const std::string& key, std::string_view response);

/// Returns a recorded response as lines of an overlay. Values of the recorded session become marks such as {sid}.
/// Throws UsageError if the response is not text.
[[nodiscard]] std::string response_lines(const cassettes::FullInteraction& found);

}  // namespace tapedeck::cli
