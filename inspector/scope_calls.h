#pragma once
// What the control API does with scopes, on replay and while recording (toolkit §1).

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/scope_name.h"

namespace tapedeck::replay {
class Scopes;
}
namespace tapedeck::proxy {
class RecordingScopes;
}

namespace tapedeck::inspector {

/// Each may be called from any thread.
struct ScopeCalls {
  std::function<std::optional<std::string>()> current;  ///< its text
  std::function<void(const api::ScopeName&)> begin;
  std::function<void()> end;
  std::function<api::ScopeName(const std::string& name)> next_run;
  std::function<void(const api::ScopeName&, bool ok)> result;
  std::function<std::vector<std::string>()> names;  ///< of the runs in use, sorted
  /// Opens a port of its own at a loopback address, and gives its URL. Throws std::invalid_argument for another
  /// address, std::runtime_error when it cannot. It closes with its run's result. Null where there is no data port.
  std::function<std::string(const api::ScopeName&, const std::string& where)> listen = {};
};

/// What they are given must outlive what they give.
[[nodiscard]] ScopeCalls scope_calls(replay::Scopes& scopes);
[[nodiscard]] ScopeCalls scope_calls(proxy::RecordingScopes& scopes);

}  // namespace tapedeck::inspector
