#include "inspector/scope_calls.h"

#include "base/clock.h"
#include "proxy/recording_scopes.h"
#include "replay/replay_handler.h"

namespace tapedeck::inspector {

namespace {

/// Returns the calls that both kinds of scopes have.
template <class Scopes>
ScopeCalls common_calls(Scopes& scopes) {
  ScopeCalls calls;
  calls.next_run = [&scopes](const std::string& name) { return scopes.next_run(name); };
  calls.names = [&scopes] { return scopes.names(); };
  return calls;
}

}  // namespace

ScopeCalls scope_calls(replay::ReplayHandler& handler) {
  ScopeCalls calls = common_calls(handler.scopes());
  calls.clock_us = [&handler](const std::optional<api::ScopeName>& scope) { return handler.clock_us(scope); };
  // A test helper reports results to replay servers as well, which keep nothing.
  calls.result = [](const api::ScopeName&, bool) {};
  return calls;
}

ScopeCalls scope_calls(proxy::RecordingScopes& scopes) {
  ScopeCalls calls = common_calls(scopes);
  calls.result = [&scopes](const api::ScopeName& scope, bool ok) { scopes.result(scope, ok); };
  calls.clock_us = [](const std::optional<api::ScopeName>&) { return base::now_us(); };
  return calls;
}

}  // namespace tapedeck::inspector
