#pragma once
// Responds to a request step by step (docs/replay.md, "Outcomes").

#include <memory>
#include <optional>

#include "replay/stages/stages.h"

namespace tapedeck::replay {

/// The steps in their order. Each one responds, or leaves the request to the next one.
enum class Step {
  session,    ///< finds the scope and the session; refuses calls of ended sessions
  overlay,    ///< applies overlays
  device,     ///< sends some requests to the end even if they are recorded
  login,      ///< responds to logins, logouts, and resumed sessions
  recording,  ///< replays recordings
  info,       ///< responds to API.Info
  keys,       ///< responds to requests for the keys of a login
  compound,   ///< responds to compound requests part by part
  effect,     ///< responds to writes that have an effect
  simulated,  ///< responds as the simulated device
  fallback,   ///< responds to the three specified operations
  blocked,    ///< keeps some requests from the device
  miss,       ///< responds to everything else with a miss
};

/// Returns the reply of the first step that has one, or nothing if the request is for ReplayOptions::end. Overlays and
/// effects have changed the reply, and it is counted. A part of a compound skips the steps of the whole: session,
/// device, login, and compound. Thread-safe.
[[nodiscard]] std::optional<Reply> answer(const Services& services, RequestContext& context, ThreadState& thread);
/// Passes a request to ReplayOptions::end, which responds now or later on this thread, unchanged. The end counts its
/// own responses.
void hand_over(const Services& services, std::shared_ptr<http::Exchange> exchange, const RequestContext& context);

}  // namespace tapedeck::replay
