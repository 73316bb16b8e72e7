#include "inspector/scope_calls.h"

#include "proxy/recording_scopes.h"
#include "replay/sessions/scopes.h"

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

ScopeCalls scope_calls(replay::Scopes& scopes) {
  ScopeCalls calls = common_calls(scopes);
  // A test helper reports results to replay servers as well, which keep nothing.
  calls.result = [](const api::ScopeName&, bool) {};
  return calls;
}

ScopeCalls scope_calls(proxy::RecordingScopes& scopes) {
  ScopeCalls calls = common_calls(scopes);
  calls.result = [&scopes](const api::ScopeName& scope, bool ok) { scopes.result(scope, ok); };
  return calls;
}

}  // namespace tapedeck::inspector
