#pragma once
// Converts changes of a firmware to overlays for recordings of the old one.

#include <optional>
#include <string>
#include <vector>

#include "tools/forecast/firmware_changes.h"

namespace tapedeck::tools {

/// An overlay for a change. Has either `key` or `call`, and either `error` or `patch`.
struct ChangeOverlay {
  std::string key;           ///< key of a recorded call, to which the overlay is limited
  std::string call;          ///< a call pattern: "Core.Share/*/*"
  std::optional<int> error;  ///< the code of the response
  std::string patch;         ///< operations of RFC 6902, with braces escaped for overlays
};

/// Returns the overlays for one change of the comparison, from the top. A patch changes the response that was recorded,
/// and leaves others to the same key alone. Overlays of different changes can be combined.
[[nodiscard]] std::vector<ChangeOverlay> overlays_for(std::size_t change, const FirmwareResponses& before,
                                                      const FirmwareComparison& comparison);

/// Converts `value` to another type: 500 to "500", "500" to 500, true to 1. Returns null if that is impossible.
[[nodiscard]] nlohmann::json converted(const nlohmann::json& value, const std::string& type);

}  // namespace tapedeck::tools
