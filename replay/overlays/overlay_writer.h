#pragma once
// Overlays as a file has them: for saving what was posted, and beginning one by hand.

#include <string>
#include <string_view>
#include <vector>

#include "replay/effects/effect.h"
#include "replay/overlays/overlay.h"

namespace tapedeck::replay {

/// Blocks [[overlay]] and [[effect]] that read back as the same rules. Names that several have been given, which may be in different
/// sets, get numbers: in a file they are unique. A `file` is named as it was.
[[nodiscard]] std::string overlays_toml(const std::vector<OverlayPtr>& overlays,
                                        const std::vector<EffectPtr>& effects = {});

/// A TOML string of one line.
[[nodiscard]] std::string toml_text(std::string_view text);
/// A key, in quotes where TOML needs them.
[[nodiscard]] std::string toml_key(std::string_view name);
/// As it is spelled, on lines of its own, where TOML takes it so; else on one line.
[[nodiscard]] std::string toml_lines(std::string_view text);

}  // namespace tapedeck::replay
