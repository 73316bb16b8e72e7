#pragma once
// Sessions of clients that are partly played and partly passed on to a device (toolkit §3, mode "new").

#include <functional>

#include "replay/builtins/miss_report.h"
#include "replay/chain.h"

namespace tapedeck::replay {

/// Above the player: takes note of a session that is played a successful write or the id of a task. The device has not
/// seen that.
class DeviceWatch : public Responder {
 public:
  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;
  void change(Visit& visit, ThreadState& thread, Reply& reply) override;
};

/// Last before the chain's end: calls of such a session are not passed on, nor are those that a scope lacks which is
/// played. They miss, with X-Tapedeck-Blocked: state or scope.
class DeviceGuard : public Responder {
 public:
  /// `seen` is told of each such miss, from any loop thread.
  DeviceGuard(int miss_status, std::function<void(const Visit&, const MissReport&)> seen)
      : miss_status_(miss_status), seen_(std::move(seen)) {}
  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;

 private:
  [[nodiscard]] Reply blocked(const Visit& visit, const MissReport& miss, std::string_view why) const;

  const int miss_status_;
  const std::function<void(const Visit&, const MissReport&)> seen_;
};

/// Before the logins: what goes to the chain's end whatever is recorded of it. That is all of a scope that is recorded,
/// and, where clients log in at the device themselves, logins, logouts and API.Encryption outside of scopes.
class ToDevice : public Responder {
 public:
  explicit ToDevice(bool takes_logins) : takes_logins_(takes_logins) {}
  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;

 private:
  const bool takes_logins_;
};

}  // namespace tapedeck::replay
