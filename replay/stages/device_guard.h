#pragma once
// Keeps sessions consistent when some requests are replayed and others are sent to a device (docs/recording.md, mode
// "new"). The device is the end of the chain.

#include "replay/chain/chain.h"
#include "replay/stages/miss_report.h"

namespace tapedeck::replay {

/// Marks a session that received a replayed response to a write or a replayed task ID, because the device has
/// neither. Its place is above the player.
void mark_session_ahead(RequestContext& context, const Reply& reply);

/// Keeps calls of such a session, and calls that a replayed scope does not contain, from the device. Both are misses,
/// with X-Tapedeck-Blocked: state or scope. Its place is the last before the end of the chain.
class DeviceGuard : public Responder {
 public:
  DeviceGuard(int miss_status, SeenMiss seen) : miss_status_(miss_status), seen_(std::move(seen)) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  [[nodiscard]] Reply blocked(const RequestContext& context, const MissReport& miss, std::string_view why) const;

  const int miss_status_;
  const SeenMiss seen_;
};

/// Returns true for requests that go to the device even if they are recorded: all requests of a scope that is being
/// recorded and, with `takes_logins`, logins, logouts, and API.Encryption outside of scopes, because clients then log
/// in at the device. Its place is before the logins.
[[nodiscard]] bool is_for_device(const RequestContext& context, bool takes_logins);

}  // namespace tapedeck::replay
