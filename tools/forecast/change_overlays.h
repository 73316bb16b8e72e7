#pragma once
// Turns changes of a firmware into overlays for recordings of the old one.

#include <optional>
#include <string>
#include <vector>

#include "tools/forecast/firmware_changes.h"

namespace tapedeck::tools {

/// Has either `key` or `call`, and either `error` or `patch`.
struct ChangeOverlay {
  std::string key;           ///< of a recorded call: the overlay is only for this call
  std::string call;          ///< a call pattern: "Core.Share/*/*"
  std::optional<int> error;  ///< the code of the response
  std::string patch;         ///< operations of RFC 6902, with braces escaped for overlays
};

/// Makes overlays for changes. Overlays of different changes can be combined.
class ChangeOverlays {
 public:
  /// Both must outlive it.
  ChangeOverlays(const FirmwareResponses& before, const FirmwareComparison& comparison);
  /// Returns the overlays from the top. A patch changes the response that was recorded, and leaves others to the same
  /// key alone.
  [[nodiscard]] std::vector<ChangeOverlay> of(std::size_t change) const;

 private:
  const FirmwareResponses& before_;
  const FirmwareComparison& comparison_;
};

/// Converts `value` to another type: 500 to "500", "500" to 500, true to 1. Returns null if that is impossible.
[[nodiscard]] nlohmann::json converted(const nlohmann::json& value, const std::string& type);

}  // namespace tapedeck::tools
