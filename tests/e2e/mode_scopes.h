#pragma once
// A suite whose tests are scopes, for tests that complete its cassette.

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::mode_scopes_cases {

using nlohmann::json;
using Names = std::vector<std::string>;

inline const std::string entry = "{base}/webapi/entry.cgi?";
inline const std::string network = "api=SYNO.Core.Network&version=1&method=get";
inline const std::string shares = "api=SYNO.Core.Share&version=1&method=list";
inline const std::string portals = "api=SYNO.Core.AppPortal&version=1&method=list";
inline const std::string load = "api=SYNO.Core.System.Utilization&version=1&method=get";
inline const std::string ssh = "api=SYNO.Core.Terminal&version=3&method=get";
inline const std::string ssh_on = "api=SYNO.Core.Terminal&version=3&method=set&enable_ssh=true";

inline Step in_scope(const std::string& scope, Step step) {
  if (!scope.empty()) step.curl.insert(step.curl.end(), {"-H", "X-Tapedeck-Scope: " + scope});
  return step;
}

/// Returns a test of a suite that logs in, sends these calls, and logs out.
inline std::vector<Step> flow(const std::string& scope, const Names& calls) {
  std::vector<Step> steps = {in_scope(scope, login_step())};
  for (const std::string& query : calls) steps.push_back(in_scope(scope, call(query, query)));
  steps.push_back(in_scope(scope, logout_step()));
  return steps;
}

inline Login wrong_password() {
  Login login;
  login.password = "made-up-and-wrong";
  return login;
}

inline int code_of(const Reply& reply) {
  const json body = json::parse(reply.body);
  return body.at("success").get<bool>() ? 0 : body.at("error").at("code").get<int>();
}

inline std::vector<int> codes_of(const Transcript& seen) {
  std::vector<int> codes;
  for (const Reply& reply : seen.replies) codes.push_back(code_of(reply));
  return codes;
}

/// Returns "NAME" or "NAME incomplete" of each scope and take.
inline Names scopes_in(const std::string& cassette) {
  Names names;
  for (const auto& scope : json::parse(run_tapedeck({"ls", "--scopes", "--json", cassette}).out)) {
    if (scope.at("scope") == "") continue;
    names.push_back(scope.at("scope").get<std::string>() + " " + std::to_string(scope.at("take").get<int>()) +
                    (scope.at("complete").get<bool>() ? "" : " incomplete"));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// A cassette with the scopes "reads" and "writes", and with recordings without a scope.
struct Suite {
  Suite() {
    const Device device;
    record(folder.path(), device, cassette, [](const std::string& url) {
      (void)play(url, flow("", {network}));
      (void)play(url, flow("reads", {network, load}));
      (void)play(url, flow("writes", {ssh, ssh_on, ssh}));
    });
    old_bytes = read_file(cassette);
  }
  [[nodiscard]] Names completing(const Device& device, const Names& more = {}) const {
    Names arguments = {"record", "--mode", "new", "--device", device.url(), cassette};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  [[nodiscard]] Ran exec(const Device& device, const std::string& script, const Names& more = {}) const {
    Names arguments = {"exec", "--mode", "new", "--device", device.url()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {cassette, "--", "sh", "-c", script});
    return run_tapedeck(arguments);
  }

  TempDir folder, elsewhere;
  std::string cassette = folder / "c.cassette", old_bytes;
};

/// Returns the value of `name=` in the ready file.
inline std::string ready_value(const Server& server, const std::string& name) {
  const std::string text = read_file(server.ready_file());
  const std::size_t at = text.find("\n" + name + "=") + name.size() + 2;
  return text.substr(at, text.find('\n', at) - at);
}

inline Reply post(const Server& server, const std::string& path, const std::string& body) {
  return curl({ready_value(server, "control") + path, "-H", "X-Tapedeck-Token: " + ready_value(server, "token"), "-H",
               "Content-Type: application/json", "-d", body});
}

/// Returns a shell command for a test that sends its call in its scope and reports its result.
inline std::string scope_result(const std::string& scope, bool ok) {
  return "curl -sS -H \"X-Tapedeck-Token: $TAPEDECK_TOKEN\" -H 'Content-Type: application/json' -d '{\"name\":\"" +
         scope + "\",\"ok\":" + (ok ? "true" : "false") + "}' \"$TAPEDECK_CONTROL_URL/scope/result\" >/dev/null; ";
}

inline std::string shell_test(const std::string& scope, const std::string& query, bool ok) {
  return "curl -sS -H 'X-Tapedeck-Scope: " + scope + "' \"$TAPEDECK_URL/webapi/entry.cgi?" + query + "\" >/dev/null; " +
         scope_result(scope, ok);
}

inline const std::string info = "api=SYNO.API.Info&version=1&method=query&query=SYNO.API.Auth";

}  // namespace tapedeck::tests::mode_scopes_cases
