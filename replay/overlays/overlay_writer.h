#pragma once
// Writes overlays as a file, to save posted ones and to create templates for users.

#include <string>
#include <vector>

#include "replay/effects/effect.h"
#include "replay/language/overlay_text.h"
#include "replay/overlays/overlay.h"

namespace tapedeck::replay {

/// Returns blocks [[overlay]] and [[effect]] that are read back as the same rules. Duplicate names, which may occur in
/// different sets, get numbers, because names are unique in a file. Keeps the name of a `file`.
[[nodiscard]] std::string overlays_toml(const std::vector<OverlayPtr>& overlays,
                                        const std::vector<EffectPtr>& effects = {});

}  // namespace tapedeck::replay
