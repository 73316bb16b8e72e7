#pragma once
// Writes overlays as a file, for saving posted ones, and for starting one by hand.

#include <string>
#include <vector>

#include "replay/effects/effect.h"
#include "replay/overlays/overlay.h"
#include "replay/rules/toml_text.h"

namespace tapedeck::replay {

/// Returns blocks [[overlay]] and [[effect]] that read back as the same rules. Duplicate names, which may be in
/// different sets, get numbers, because they are unique in a file. Keeps the name of a `file`.
[[nodiscard]] std::string overlays_toml(const std::vector<OverlayPtr>& overlays,
                                        const std::vector<EffectPtr>& effects = {});

}  // namespace tapedeck::replay
