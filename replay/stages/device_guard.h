#pragma once
// Keeps sessions consistent when some requests are replayed and others are passed on to a device (docs/recording.md,
// mode "new").

#include "replay/chain/chain.h"
#include "replay/stages/miss_report.h"

namespace tapedeck::replay {

/// Above the player: marks a session that received a replayed write or a replayed task ID, because the device does not
/// know about it.
class DeviceWatch : public Responder {
 public:
  [[nodiscard]] StageResult answer(RequestContext&, ThreadState&) override { return pass_on(); }
  void change(RequestContext& context, ThreadState& thread, Reply& reply) override;
};

/// Last before the chain's end: refuses to pass on calls of such a session, and calls that are missing in a scope that
/// is replayed. They miss with X-Tapedeck-Blocked: state or scope.
class DeviceGuard : public Responder {
 public:
  DeviceGuard(int miss_status, SeenMiss seen) : miss_status_(miss_status), seen_(std::move(seen)) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  [[nodiscard]] Reply blocked(const RequestContext& context, const MissReport& miss, std::string_view why) const;

  const int miss_status_;
  const SeenMiss seen_;
};

/// Before the logins: sends requests to the chain's end even if they are recorded. These are all requests of a scope
/// that is being recorded and, if clients log in at the device themselves, logins, logouts, and API.Encryption outside
/// of scopes.
class ToDevice : public Responder {
 public:
  explicit ToDevice(bool takes_logins) : takes_logins_(takes_logins) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  const bool takes_logins_;
};

}  // namespace tapedeck::replay
