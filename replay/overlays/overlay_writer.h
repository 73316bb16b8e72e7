#pragma once
// Overlays as a file has them: for saving what was posted.

#include <string>
#include <vector>

#include "replay/overlays/overlay.h"

namespace tapedeck::replay {

/// Blocks [[overlay]] that read back as the same rules. Names that several have been given, which may be in different
/// sets, get numbers: in a file they are unique. A `file` is named as it was.
[[nodiscard]] std::string overlays_toml(const std::vector<OverlayPtr>& overlays);

}  // namespace tapedeck::replay
