#pragma once
// Overlays as a file has them: for saving what was posted, and beginning one by hand.

#include <string>
#include <vector>

#include "replay/effects/effect.h"
#include "replay/overlays/overlay.h"
#include "replay/rules/toml_text.h"

namespace tapedeck::replay {

/// Blocks [[overlay]] and [[effect]] that read back as the same rules. Names that several have been given, which may be in different
/// sets, get numbers: in a file they are unique. A `file` is named as it was.
[[nodiscard]] std::string overlays_toml(const std::vector<OverlayPtr>& overlays,
                                        const std::vector<EffectPtr>& effects = {});

}  // namespace tapedeck::replay
