#pragma once
// Reads a rule from a block of an overlay file or a posted object.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "replay/overlays/overlay.h"

namespace tapedeck::replay {

/// Returns an overlay, with an empty name if there is none. `file` is the name in messages, and `folder` contains the
/// files of `file = "…"`, which is refused without it. Adds the paths of those files to `files`. Throws OverlayError
/// with the line of a member.
[[nodiscard]] Overlay read_overlay(const OverlayBlock& block, const std::string& file,
                                   const std::optional<std::filesystem::path>& folder, std::vector<std::string>& files);

}  // namespace tapedeck::replay
