#include "inspector/scope_calls.h"

#include "proxy/recording_scopes.h"
#include "replay/sessions/scopes.h"

namespace tapedeck::inspector {

ScopeCalls scope_calls(replay::Scopes& scopes) {
  ScopeCalls calls;
  calls.current = [&scopes]() -> std::optional<std::string> {
    const auto run = scopes.current();
    return run ? std::optional(*run->text) : std::nullopt;
  };
  calls.begin = [&scopes](const api::ScopeName& scope) { scopes.begin(scope); };
  calls.end = [&scopes] { scopes.end(); };
  calls.next_run = [&scopes](const std::string& name) { return scopes.next_run(name); };
  // Clients report results to any server. A replay server ignores them.
  calls.result = [](const api::ScopeName&, bool) {};
  calls.names = [&scopes] { return scopes.names(); };
  return calls;
}

ScopeCalls scope_calls(proxy::RecordingScopes& scopes) {
  ScopeCalls calls;
  calls.current = [&scopes]() -> std::optional<std::string> {
    const auto scope = scopes.current();
    return scope ? std::optional(scope->text()) : std::nullopt;
  };
  calls.begin = [&scopes](const api::ScopeName& scope) { scopes.begin(scope); };
  calls.end = [&scopes] { scopes.end(); };
  calls.next_run = [&scopes](const std::string& name) { return scopes.next_run(name); };
  calls.result = [&scopes](const api::ScopeName& scope, bool ok) { scopes.result(scope, ok); };
  calls.names = [&scopes] { return scopes.names(); };
  return calls;
}

}  // namespace tapedeck::inspector
