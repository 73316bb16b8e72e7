#pragma once
// Defines the functions of the control API for scopes, on replay and while recording (docs/testing.md, "Scopes").

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/scope_name.h"

namespace tapedeck::replay {
class ReplayHandler;
}
namespace tapedeck::proxy {
class RecordingScopes;
}

namespace tapedeck::inspector {

/// All functions are thread-safe.
struct ScopeCalls {
  std::function<api::ScopeName(const std::string& name)> next_run;
  std::function<void(const api::ScopeName&, bool ok)> result;
  std::function<std::vector<std::string>()> names;  ///< the runs in use, sorted
  /// Returns the time for fake timers in microseconds since 1970: the current time while the scope is recorded, and the
  /// recorded one (replay::ReplayHandler::clock_us) when it is replayed.
  std::function<std::optional<std::int64_t>(const std::optional<api::ScopeName>& scope)> clock_us;
  /// Opens a port for a scope at a loopback address and returns its URL. The port closes with the result of the run.
  /// Throws std::invalid_argument for another address, and std::runtime_error if it cannot listen. Null without a data
  /// port.
  std::function<std::string(const api::ScopeName&, const std::string& where)> listen = {};
};

/// The arguments must outlive the result.
[[nodiscard]] ScopeCalls scope_calls(replay::ReplayHandler& handler);
[[nodiscard]] ScopeCalls scope_calls(proxy::RecordingScopes& scopes);

}  // namespace tapedeck::inspector
