#pragma once
// Explains a miss to the client and in the log.

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

/// The explanation of a miss. Contains no values of the client, only names of parameters and scrubbed recorded keys.
struct MissReport {
  struct Nearest {
    std::string key;
    Comparison comparison;
  };
  api::ErrorCode code = api::ErrorCode::unknown;
  /// Such as "SVC.Core.Share/1/list (additional, limit)" or "GET of a path that is not an API call".
  std::string asked;
  std::string reason;  ///< a short text for the header X-Tapedeck-Miss
  std::vector<Nearest> nearest;  ///< at most three, nearest first
  std::string hint;              ///< how to make the request match
  /// For a write: an overlay block with an effect that would respond to it; otherwise empty.
  std::string effect;
  bool is_ambiguous = false;            ///< true if more than one recording matches
  std::vector<std::string> recordings;  ///< IDs of possible recordings, if `nearest` does not name them

  /// Returns the value of `error.errors`: {"tapedeck": {…}}.
  [[nodiscard]] std::string errors_json() const;
  /// Returns one line for the log.
  [[nodiscard]] std::string line() const;
};

}  // namespace tapedeck::replay
