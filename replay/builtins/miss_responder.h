#pragma once
// The end of the chain: says that nothing could answer, why, what comes nearest, and what to do (semantics §5).

#include <functional>
#include <string>
#include <vector>

#include "replay/builtins/device_knowledge.h"
#include "replay/chain.h"
#include "replay/recorded/match.h"
#include "replay/replay_options.h"

namespace tapedeck::replay {

/// What a miss says. Holds no value that the client sent: names of parameters, and recorded keys, which are scrubbed.
struct MissReport {
  struct Nearest {
    std::string key;
    Comparison comparison;
  };
  api::ErrorCode code = api::ErrorCode::unknown;
  std::string asked;   ///< "SVC.Core.Share/1/list (additional, limit)", or "GET of a path that is no API call"
  std::string reason;  ///< short, for the header
  std::vector<Nearest> nearest;  ///< at most three, the nearest first
  std::string hint;              ///< what makes it match

  /// `error.errors`: {"tapedeck": {…}}.
  [[nodiscard]] std::string errors_json() const;
  /// One line for the log.
  [[nodiscard]] std::string line() const;
};

/// Always answers: a code that the device itself would be certain of as a built-in answer, everything else as a miss.
class MissResponder : public Responder {
 public:
  /// `seen` is told of every miss.
  MissResponder(const ReplayOptions& options, DeviceKnowledge& knowledge, std::function<void(const MissReport&)> seen)
      : options_(options), knowledge_(knowledge), seen_(std::move(seen)) {}
  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;

 private:
  [[nodiscard]] MissReport report(Visit& visit, ThreadState& thread, const Judgement& judgement);

  const ReplayOptions& options_;
  DeviceKnowledge& knowledge_;
  std::function<void(const MissReport&)> seen_;
};

}  // namespace tapedeck::replay
