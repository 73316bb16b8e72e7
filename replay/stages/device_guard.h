#pragma once
// Sessions of clients that are partly played and partly passed on to a device (docs/recording.md, mode "new").

#include "replay/chain/chain.h"
#include "replay/stages/miss_report.h"

namespace tapedeck::replay {

/// Above the player: takes note of a session that is played a successful write or the id of a task. The device has not
/// seen that.
class DeviceWatch : public Responder {
 public:
  [[nodiscard]] StageResult answer(RequestContext&, ThreadState&) override { return pass_on(); }
  void change(RequestContext& context, ThreadState& thread, Reply& reply) override;
};

/// Last before the chain's end: calls of such a session are not passed on, nor are those that a scope lacks which is
/// played. They miss, with X-Tapedeck-Blocked: state or scope.
class DeviceGuard : public Responder {
 public:
  DeviceGuard(int miss_status, SeenMiss seen) : miss_status_(miss_status), seen_(std::move(seen)) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  [[nodiscard]] Reply blocked(const RequestContext& context, const MissReport& miss, std::string_view why) const;

  const int miss_status_;
  const SeenMiss seen_;
};

/// Before the logins: what goes to the chain's end whatever is recorded of it. That is all of a scope that is recorded,
/// and, where clients log in at the device themselves, logins, logouts and API.Encryption outside of scopes.
class ToDevice : public Responder {
 public:
  explicit ToDevice(bool takes_logins) : takes_logins_(takes_logins) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  const bool takes_logins_;
};

}  // namespace tapedeck::replay
