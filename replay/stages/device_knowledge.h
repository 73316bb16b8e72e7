#pragma once
// Determines the APIs, versions, and methods of the replayed device from a recorded API.Info, the cassettes, and the
// catalog (docs/replay.md, "Outcomes").

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/catalog.h"
#include "api/envelope.h"
#include "replay/chain/request_context.h"
#include "replay/chain/thread_state.h"
#include "replay/recorded/cassette_set.h"
#include "replay/sessions/session_table.h"

namespace tapedeck::replay {

struct ExpectedError {
  api::ErrorCode code = api::ErrorCode::unknown;
  bool certain = false;  ///< true if the device would certainly respond with this error, so that it is not a miss
  std::string_view why;
};

/// Thread-safe. Computes facts about the device once and stores them with the cassettes (DeviceFacts).
class DeviceKnowledge {
 public:
  explicit DeviceKnowledge(const SessionTable& sessions) : sessions_(sessions) {}

  /// Returns null if no complete API.Info response is recorded.
  [[nodiscard]] const RecordedInfo* recorded_info(ThreadState& thread);
  /// Returns the device's likely response to a call to which no step responded, using the device's order of checks.
  [[nodiscard]] ExpectedError expected_error(const api::Call& call, ThreadState& thread);
  /// Returns the error code for a call that the device would certainly refuse.
  [[nodiscard]] std::optional<api::ErrorCode> certain_error(const api::Call& call, ThreadState& thread);
  /// Returns the body of an error. For 119, it is the device's if a cassette has one.
  [[nodiscard]] static std::string refusal_body(api::ErrorCode code, ThreadState& thread);
  /// Returns true if this request was recorded with a success for a client without a session.
  [[nodiscard]] static bool needs_no_session(RequestContext& context, ThreadState& thread);
  /// Returns true if this request was recorded with a success without the header X-SYNO-HASH.
  [[nodiscard]] static bool needs_no_hash(RequestContext& context, ThreadState& thread);
  /// Maps API names without their first label to version ranges, from recorded operations, built-in responses, and the
  /// catalog.
  [[nodiscard]] const std::map<std::string, api::VersionRange>& composed(ThreadState& thread);

 private:
  void learn_info(ThreadState& thread, DeviceFacts& facts) const;

  const SessionTable& sessions_;
};

/// Returns true if devices allow the call without a session: discovery, and calls before a login (docs/device-notes.md,
/// "Discovery" and "Login and sessions").
[[nodiscard]] bool is_open_to_all(const api::Call& call);

using VisitSequence =
    std::function<bool(SequenceLookup& lookup, const api::RequestKey& key, const cassettes::SequenceInfo& sequence)>;
/// Visits the sequences with a success of an API and method (without the first label, in lower case), in all cassettes
/// and scopes, until `visit` returns true.
void visit_successes(const ThreadState& thread, std::string_view api_rest, std::string_view method,
                     const VisitSequence& visit);

}  // namespace tapedeck::replay
