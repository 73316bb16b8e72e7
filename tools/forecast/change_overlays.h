#pragma once
// A change of firmware as overlays over the old firmware's recording.

#include <optional>
#include <string>
#include <vector>

#include "tools/forecast/firmware_changes.h"

namespace tapedeck::tools {

/// Of `key` and `call` one is there, and of `error` and `patch`.
struct ChangeOverlay {
  std::string key;           ///< of a recorded call: the overlay is for this call alone
  std::string call;          ///< a call pattern: "Core.Share/*/*"
  std::optional<int> error;  ///< the code of the response
  std::string patch;         ///< operations of RFC 6902, with braces escaped as overlays have it
};

/// Makes overlays of changes, one after the other. Those of different changes can be used together in any number.
class ChangeOverlays {
 public:
  /// Both must outlive it.
  ChangeOverlays(const FirmwareResponses& before, const FirmwareComparison& comparison);
  /// From the top. A patch changes a response that was recorded, and leaves any other one to that key alone.
  [[nodiscard]] std::vector<ChangeOverlay> of(std::size_t change) const;

 private:
  const FirmwareResponses& before_;
  const FirmwareComparison& comparison_;
};

/// `value` as another type: 500 as "500", "500" as 500, true as 1. Null where that cannot be.
[[nodiscard]] nlohmann::json converted(const nlohmann::json& value, const std::string& type);

}  // namespace tapedeck::tools
