#pragma once
// Stores facts about the device that are computed from all cassettes together, once when they are needed
// (DeviceKnowledge).

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/catalog.h"

namespace tapedeck::replay {

/// One member of `data` in a complete API.Info response.
struct InfoEntry {
  api::ApiName name;
  std::string_view value;  ///< the recorded bytes: {"maxVersion":2,…}
  std::optional<api::VersionRange> versions;
};

/// A recorded response that lists all APIs, with stand-ins in place of the session's values.
struct RecordedInfo {
  std::shared_ptr<const std::string> body;
  std::vector<InfoEntry> entries;  ///< in recorded order; views into `body`
};

struct DeviceFacts {
  std::once_flag info_once, composed_once;
  std::optional<RecordedInfo> info;  ///< empty if no complete response is recorded
  std::map<std::string, api::VersionRange> composed;
};

}  // namespace tapedeck::replay
