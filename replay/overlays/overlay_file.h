#pragma once
// Parses overlay files and overlays that are posted to the control port (docs/mocking.md).

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/effects/effect.h"
#include "replay/overlays/overlay.h"

namespace tapedeck::replay {

struct OverlayFile {
  std::vector<Overlay> overlays;  ///< in the order of the file
  std::vector<Effect> effects;    ///< in the order of the file
  std::vector<std::string> read;  ///< paths of the file and of the files that it names, for watching
};

/// Returns the content of a file. Throws std::invalid_argument if it cannot be read or is larger than 16 MiB.
[[nodiscard]] std::string overlay_file_text(const std::string& path);
/// `text` is the content of the file. Throws OverlayError.
[[nodiscard]] OverlayFile read_overlay_file(const std::string& path, std::string_view text);
/// Parses the TOML text of an overlay file. `file` is its name in messages, and `folder` contains the files that it
/// names. Throws OverlayError.
[[nodiscard]] OverlayFile read_overlay_toml(std::string_view text, const std::string& file,
                                            const std::filesystem::path& folder);

struct PostedOverlays {
  std::optional<std::string> set;  ///< empty for a list without a set name
  std::vector<Overlay> overlays;
  std::string text;  ///< the text as posted; for TOML, also the same content as JSON
  std::vector<Effect> effects = {};
};
/// Parses a JSON list of overlays, or {"set":"…","scope":"…","overlays":[…],"effects":[…]}, whose scope applies to all
/// members without one. In place of both lists, it may have "toml":"…", the text of an overlay file. Refuses the member
/// `file` and texts of more than 4 MiB. Throws OverlayError with lines of the text.
[[nodiscard]] PostedOverlays read_posted_overlays(std::string_view text);

/// Assigns names to overlays without one, and IDs among the other overlays of `set`. Throws OverlayError if a name was
/// given twice.
[[nodiscard]] std::vector<OverlayPtr> number_overlays(std::vector<Overlay> overlays, std::string_view set);

}  // namespace tapedeck::replay
