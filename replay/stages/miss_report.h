#pragma once
// Why nothing could answer, for the client and for the log.

#include <functional>
#include <string>
#include <vector>

#include "api/envelope.h"
#include "replay/recorded/match.h"

namespace tapedeck::replay {

class RequestContext;
struct MissReport;

/// Called for each miss, from any loop thread.
using SeenMiss = std::function<void(const RequestContext&, const MissReport&)>;

/// What a miss says. Holds no value that the client sent: names of parameters, and recorded keys, which are scrubbed.
struct MissReport {
  struct Nearest {
    std::string key;
    Comparison comparison;
  };
  api::ErrorCode code = api::ErrorCode::unknown;
  std::string asked;   ///< "SVC.Core.Share/1/list (additional, limit)", or "GET of a path that is not an API call"
  std::string reason;  ///< short, for the header
  std::vector<Nearest> nearest;         ///< at most three, the nearest first
  std::string hint;                     ///< what makes it match
  std::string effect;  ///< of a write: a block for an overlay file that would respond to it; empty: none
  bool is_ambiguous = false;            ///< it is recorded, more than once
  std::vector<std::string> recordings;  ///< ids of those that it could mean; empty where keys say it

  /// `error.errors`: {"tapedeck": {…}}.
  [[nodiscard]] std::string errors_json() const;
  /// One line for the log.
  [[nodiscard]] std::string line() const;
};

}  // namespace tapedeck::replay
