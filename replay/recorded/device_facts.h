#pragma once
// What the cassettes as a whole say of the device: looked up once, when it is first needed (DeviceKnowledge does).

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

/// One member of `data` in a full API.Info answer.
struct InfoEntry {
  api::ApiName name;
  std::string_view value;  ///< the recorded bytes: {"maxVersion":2,…}
  std::optional<api::VersionRange> versions;
};

/// A recorded answer that lists all APIs, with the session's values in it replaced by stand-ins.
struct RecordedInfo {
  std::shared_ptr<const std::string> body;
  std::vector<InfoEntry> entries;  ///< in recorded order; views into `body`
};

struct DeviceFacts {
  std::once_flag info_once, composed_once;
  std::optional<RecordedInfo> info;  ///< nothing when no full answer is recorded
  std::map<std::string, api::VersionRange> composed;
};

}  // namespace tapedeck::replay
