#pragma once
// Which APIs, versions and methods the replayed device has: from a recorded API.Info, the cassettes and the catalog
// (docs/replay.md, "Outcomes").

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/catalog.h"
#include "api/envelope.h"
#include "replay/chain/request_context.h"
#include "replay/chain/thread_state.h"
#include "replay/recorded/device_facts.h"
#include "replay/sessions/session_table.h"

namespace tapedeck::replay {

struct Judgement {
  api::ErrorCode code = api::ErrorCode::unknown;
  bool certain = false;  ///< the device itself would say so: no miss
  std::string_view why;
};

/// Thread-safe; what it learns from the cassettes is kept with them (DeviceFacts).
class DeviceKnowledge {
 public:
  DeviceKnowledge(api::Firmware firmware, const SessionTable& sessions) : firmware_(firmware), sessions_(sessions) {}

  /// Null when no full answer is recorded.
  [[nodiscard]] const RecordedInfo* recorded_info(ThreadState& thread);
  /// What a device would say to a call that nothing could answer, in its order of checks.
  [[nodiscard]] Judgement judge(const api::Call& call, ThreadState& thread);
  /// The code for a call that no device would take, as far as that is certain.
  [[nodiscard]] std::optional<api::ErrorCode> certain_error(const api::Call& call, ThreadState& thread);
  /// True when this very request was recorded with success from a client that had no session.
  [[nodiscard]] static bool needs_no_session(RequestContext& context, ThreadState& thread);
  /// API name (first label left out) to version range: recorded operations, built-ins and the catalog.
  [[nodiscard]] const std::map<std::string, api::VersionRange>& composed(ThreadState& thread);

 private:
  [[nodiscard]] std::optional<api::VersionRange> catalog_range(std::string_view api_rest) const;
  void learn_info(ThreadState& thread, DeviceFacts& facts) const;
  void compose(ThreadState& thread, DeviceFacts& facts) const;

  const api::Firmware firmware_;
  const SessionTable& sessions_;
};

/// What devices let anybody call: discovery and what comes before a login (docs/device-notes.md, "Discovery" and "Login
/// and sessions").
[[nodiscard]] bool is_open_to_all(const api::Call& call);

}  // namespace tapedeck::replay
