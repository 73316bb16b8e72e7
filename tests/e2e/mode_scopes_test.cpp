// Tests scopes and overlays with a device: recorded scopes are replayed, and a missing scope is recorded as a whole.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::mode_scopes_cases {

namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

const std::string entry = "{base}/webapi/entry.cgi?";
const std::string network = "api=SYNO.Core.Network&version=1&method=get";
const std::string shares = "api=SYNO.Core.Share&version=1&method=list";
const std::string portals = "api=SYNO.Core.AppPortal&version=1&method=list";
const std::string load = "api=SYNO.Core.System.Utilization&version=1&method=get";
const std::string ssh = "api=SYNO.Core.Terminal&version=3&method=get";
const std::string ssh_on = "api=SYNO.Core.Terminal&version=3&method=set&enable_ssh=true";

Step in_scope(const std::string& scope, Step step) {
  if (!scope.empty()) step.curl.insert(step.curl.end(), {"-H", "X-Tapedeck-Scope: " + scope});
  return step;
}

/// Returns a test of a suite that logs in, sends these calls, and logs out.
std::vector<Step> flow(const std::string& scope, const Names& calls) {
  std::vector<Step> steps = {in_scope(scope, login_step())};
  for (const std::string& query : calls) steps.push_back(in_scope(scope, call(query, query)));
  steps.push_back(in_scope(scope, logout_step()));
  return steps;
}

Login wrong_password() {
  Login login;
  login.password = "made-up-and-wrong";
  return login;
}

int code_of(const Reply& reply) {
  const json body = json::parse(reply.body);
  return body.at("success").get<bool>() ? 0 : body.at("error").at("code").get<int>();
}

std::vector<int> codes_of(const Transcript& seen) {
  std::vector<int> codes;
  for (const Reply& reply : seen.replies) codes.push_back(code_of(reply));
  return codes;
}

/// Returns "NAME" or "NAME incomplete" of each scope and take.
Names scopes_in(const std::string& cassette) {
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
std::string ready_value(const Server& server, const std::string& name) {
  const std::string text = read_file(server.ready_file());
  const std::size_t at = text.find("\n" + name + "=") + name.size() + 2;
  return text.substr(at, text.find('\n', at) - at);
}

Reply post(const Server& server, const std::string& path, const std::string& body) {
  return curl({ready_value(server, "control") + path, "-H", "X-Tapedeck-Token: " + ready_value(server, "token"), "-H",
               "Content-Type: application/json", "-d", body});
}

/// Returns a shell command for a test that sends its call in its scope and reports its result.
std::string scope_result(const std::string& scope, bool ok) {
  return "curl -sS -H \"X-Tapedeck-Token: $TAPEDECK_TOKEN\" -H 'Content-Type: application/json' -d '{\"name\":\"" +
         scope + "\",\"ok\":" + (ok ? "true" : "false") + "}' \"$TAPEDECK_CONTROL_URL/scope/result\" >/dev/null; ";
}

std::string shell_test(const std::string& scope, const std::string& query, bool ok) {
  return "curl -sS -H 'X-Tapedeck-Scope: " + scope + "' \"$TAPEDECK_URL/webapi/entry.cgi?" + query + "\" >/dev/null; " +
         scope_result(scope, ok);
}

const std::string info = "api=SYNO.API.Info&version=1&method=query&query=SYNO.API.Auth";

}  // namespace

TEST_CASE("mode new: an existing scope is replayed, and a call that it lacks is a miss that names --rerecord") {
  const Suite suite;
  const Device device;
  Server recorder(suite.folder.path(), suite.completing(device));
  const Transcript seen = play(recorder.url(), flow("reads", {network, load, shares}));
  CHECK(seen.replies[1].header("x-tapedeck-outcome") == "recorded");
  CHECK(seen.replies[2].header("x-tapedeck-outcome") == "recorded");
  CHECK(seen.replies[3].header("x-tapedeck-outcome") == "miss");
  CHECK(seen.replies[3].header("x-tapedeck-blocked") == "scope");
  CHECK(seen.replies[3].body.find("--rerecord reads") != std::string::npos);
  CHECK(recorder.stop() == 0);
  CHECK(recorder.err().find("--rerecord reads") != std::string::npos);
  CHECK(device.requests() == 0);
  CHECK(read_file(suite.cassette) == suite.old_bytes);
}

TEST_CASE("mode new: a missing scope is recorded as a whole with its own logins, refusals, and expiry") {
  const Suite suite;
  const Device device;
  Login brief;
  brief.account = brief_account;
  std::vector<Transcript> seen;
  const auto run_all = [&](const std::string& url) {
    std::vector<Transcript> all;
    all.push_back(play(url, {in_scope("wrong", login_step())}, wrong_password()));
    all.push_back(play(url, flow("ends", {network, network, network}), brief));
    all.push_back(play(url, {in_scope("open", call("no session", ssh))}));
    all.push_back(play(url, flow("played outside too", {network, network})));
    return all;
  };
  {
    Server recorder(suite.folder.path(), suite.completing(device));
    seen = run_all(recorder.url());
    CHECK(recorder.stop() == 0);
  }
  CHECK(codes_of(seen[0]) == std::vector<int>{400});
  CHECK(codes_of(seen[1]) == std::vector<int>{0, 0, 106, 119, 0});
  CHECK(codes_of(seen[2]) == std::vector<int>{119});
  CHECK(codes_of(seen[3]) == std::vector<int>{0, 0, 0, 0});
  // No ID is generated, no recording without a scope is played, and the account's own session is not needed.
  CHECK(device.secrets().session_ids == Names{seen[1].sid, seen[3].sid});
  CHECK(count(device, "API.Auth/login") == 3);
  CHECK(count(device, "Core.Network/get") == 5);
  CHECK(scopes_in(suite.cassette) ==
        Names{"ends 2", "open 2", "played outside too 2", "reads 1", "writes 1", "wrong 2"});
  Server replay(suite.folder.path(), {"replay", "--strict=miss,fallback,scope,order", suite.cassette});
  const std::vector<Transcript> played = run_all(replay.url());
  for (std::size_t i = 0; i < seen.size(); ++i) CHECK(differences(seen[i], played[i]) == Names());
  CHECK(replay.stop() == 0);
}

TEST_CASE("mode new: a scope is found by path, by --scope, by its port, and by its session ID") {
  const Suite suite;
  const Device device;
  {
    Names arguments = suite.completing(device, {"--control", "127.0.0.1:0", "--scope", "usual"});
    Server recorder(suite.folder.path(), arguments);
    const std::string& url = recorder.url();
    (void)play(url, flow("", {ssh}));
    const Transcript by_path = play(url + "/~scope/by%20path", flow("", {ssh}));
    CHECK(codes_of(by_path) == std::vector<int>{0, 0, 0});
    const std::string port = json::parse(post(recorder, "/scope", R"({"name":"port","listen":"127.0.0.1:0"})").body)
                                 .at("url")
                                 .get<std::string>();
    (void)play(port, flow("", {ssh}));
    CHECK(recorder.stop() == 0);
  }
  {
    Server recorder(suite.folder.path(), suite.completing(device));
    // Only the login names its scope.
    std::vector<Step> by_id = {in_scope("by id", login_step()), call("ssh", ssh), logout_step()};
    CHECK(codes_of(play(recorder.url(), by_id)) == std::vector<int>{0, 0, 0});
    CHECK(recorder.stop() == 0);
  }
  CHECK(scopes_in(suite.cassette) == Names{"by id 3", "by path 2", "port 2", "reads 1", "usual 2", "writes 1"});
  CHECK(count(device, "Core.Terminal/get") == 4);
  Server replay(suite.folder.path(), {"replay", "--strict=miss,scope,unfinished", suite.cassette});
  (void)play(replay.url(), flow("usual", {ssh}));
  (void)play(replay.url(), flow("port", {ssh}));
  (void)play(replay.url() + "/~scope/by%20path", flow("", {ssh}));
  (void)play(replay.url(), {in_scope("by id", login_step()), call("ssh", ssh), logout_step()});
  CHECK(replay.stop() == 0);
}

TEST_CASE("mode new: --rerecord records a scope again as a whole and warns if its writes are not allowed") {
  const Suite suite;
  for (const bool allowed : {false, true}) {
    CAPTURE(allowed);
    const Device device;
    Names more = {"--rerecord", "writes", "--rerecord", "reads", "--rerecord", "of nobody"};
    if (allowed) more.push_back("--allow-writes");
    Server recorder(suite.folder.path(), suite.completing(device, more));
    const Transcript writes = play(recorder.url(), flow("writes", {ssh, ssh_on, ssh}));
    (void)play(recorder.url(), flow("reads", {network, load, shares}));
    CHECK(recorder.stop() == 0);
    CHECK(recorder.err().find("--rerecord of nobody: no cassette contains this scope") != std::string::npos);
    const bool is_warned =
        recorder.err().find("scope writes contains requests that change the device") != std::string::npos;
    CHECK(is_warned == !allowed);
    CHECK(codes_of(writes) == (allowed ? std::vector<int>{0, 0, 0, 0, 0} : std::vector<int>{0, 0, 105, 0, 0}));
    CHECK(writes.replies[2].header("x-tapedeck-blocked") == (allowed ? "" : "write"));
    CHECK(count(device, "Core.Terminal/set") == (allowed ? 1 : 0));
    CHECK(count(device, "API.Auth/login") == 2);
    CHECK(count(device, "Core.Share/list") == 1);
    // A scope in which a call was held back is not kept, so the previous recording is played.
    CHECK(scopes_in(suite.cassette) == (allowed ? Names{"reads 1", "reads 2", "reads 3", "writes 1", "writes 3"}
                                                : Names{"reads 1", "reads 2", "writes 1"}));
  }
  const auto replay_with = [&](const std::string& strict, bool without_scope) {
    Server replay(suite.folder.path(), {"replay", strict, suite.cassette});
    if (without_scope) (void)play(replay.url(), flow("", {network}));
    (void)play(replay.url(), flow("writes", {ssh, ssh_on, ssh}));
    (void)play(replay.url(), flow("reads", {network, load, shares}));
    return replay.stop();
  };
  CHECK(replay_with("--strict=miss,scope,unfinished", false) == 0);
  // Recordings that a newer take has replaced are never unused.
  CHECK(replay_with("--strict=unused", true) == 0);
  CHECK(replay_with("--strict=unused", false) == 3);
}

TEST_CASE("mode new: an ID from outside of a scope is valid in it, and its calls belong to the scope") {
  const Suite suite;
  const Device device;
  // A fixture of the whole suite logs in without a scope, and the test only has its ID.
  const std::vector<Step> steps = {
      login_step(), in_scope("of the fixture", call("shares", shares)),
      in_scope("of the fixture", call("link", "api=SYNO.FileStation.List&version=2&method=getlink"))};
  Transcript seen;
  {
    Server recorder(suite.folder.path(), suite.completing(device));
    seen = play(recorder.url(), steps);
    CHECK(recorder.stop() == 0);
  }
  CHECK(codes_of(seen) == std::vector<int>{0, 0, 0});
  CHECK(count(device, "API.Auth/login") == 1);
  CHECK(device.secrets().session_ids == Names{seen.sid});
  CHECK(seen.replies[2].body.find(seen.sid) != std::string::npos);
  CHECK(scopes_in(suite.cassette) == Names{"of the fixture 2", "reads 1", "writes 1"});
  Server replay(suite.folder.path(), {"replay", "--strict=miss,fallback,order", suite.cassette});
  CHECK(differences(seen, play(replay.url(), steps)) == Names());
  CHECK(replay.stop() == 0);
}

TEST_CASE("mode new: an incomplete scope is recorded again") {
  const Suite suite;
  const Device device;
  {
    Server recorder(suite.folder.path(), {"record", "--device", device.url(), suite.cassette});
    (void)play(recorder.url(), {in_scope("cut off", login_step()), in_scope("cut off", call("ssh", ssh))});
    recorder.kill();
  }
  const auto asked = device.requests();
  Server recorder(suite.folder.path(), suite.completing(device));
  CHECK(codes_of(play(recorder.url(), flow("cut off", {ssh, load}))) == std::vector<int>{0, 0, 0, 0});
  CHECK(device.requests() == asked + 4);
  // The values that the killed run had learned are lost, so the cassette stays unverified and says so.
  CHECK(recorder.stop() == 3);
  CHECK(scopes_in(suite.cassette) == Names{"cut off 2 incomplete", "cut off 3", "reads 1", "writes 1"});
}

TEST_CASE("exec --mode: scopes that were reported as failed are dropped, and the rest is kept") {
  const Suite suite;
  {
    const Device device;
    const Ran ran = suite.exec(device, shell_test("good", info, true) + shell_test("bad", info, false) +
                                           shell_test("reads", info, true) + "exit 5");
    INFO(ran.err);
    CHECK(ran.status == 5);
    CHECK(ran.err.find("scope bad failed and is not kept") != std::string::npos);
    CHECK(scopes_in(suite.cassette) == Names{"good 2", "reads 1", "writes 1"});
    CHECK_FALSE(std::filesystem::exists(suite.cassette + ".failed"));
  }
  const std::string bytes = read_file(suite.cassette);
  {
    // A repeated test is kept as in its last run.
    const Device device;
    const Ran ran = suite.exec(device, shell_test("bad", info, false) + shell_test("bad#2", info, true));
    CHECK(ran.status == 0);
    CHECK(scopes_in(suite.cassette) == Names{"bad 3", "good 2", "reads 1", "writes 1"});
    CHECK(count(device, "API.Info/query") == 2);
  }
  write_file(suite.cassette, bytes);
  const Device device;
  // Only the failed scope was recorded, so nothing changes.
  CHECK(suite.exec(device, shell_test("bad", info, false) + "exit 5").status == 5);
  CHECK(read_file(suite.cassette) == bytes);
  CHECK_FALSE(std::filesystem::exists(suite.cassette + ".failed"));
  // A scope that failed before it sent a request also leaves nothing.
  CHECK(suite.exec(device, scope_result("bad", false) + "exit 5").status == 5);
  CHECK(read_file(suite.cassette) == bytes);
  for (const char* left : {".failed", ".recording"}) CHECK_FALSE(std::filesystem::exists(suite.cassette + left));
  // It fails without reporting a scope, so the recording is beside the cassette.
  const Ran silent = suite.exec(device, shell_test("new", info, true) + "exit 5");
  CHECK(silent.status == 5);
  CHECK(read_file(suite.cassette) == bytes);
  CHECK(scopes_in(suite.cassette + ".failed") == Names{"good 2", "new 3", "reads 1", "writes 1"});
}

TEST_CASE("exec --mode new --rerecord: a scope is recorded again and replaces the previous recording") {
  const Suite suite;
  const Device device;
  const std::string script = "curl -sS -H 'X-Tapedeck-Scope: reads' \"$TAPEDECK_URL/webapi/entry.cgi?" + info + "\"";
  CHECK(suite.exec(device, script, {"--rerecord", "reads"}).status == 0);
  CHECK(device.requests() == 1);
  CHECK(scopes_in(suite.cassette) == Names{"reads 1", "reads 2", "writes 1"});
  // Replaced recordings do not count as unused.
  const std::string report = suite.elsewhere / "report.json";
  (void)run_tapedeck({"exec", "--strict=unused", "--report", report, suite.cassette, "--", "sh", "-c", script});
  const json scopes = json::parse(read_file(report)).at("scopes");
  CHECK(scopes.at("reads").at("unused") == json::array());
  CHECK(scopes.at("writes").at("unused") != json::array());
}

TEST_CASE("mode new: the control API shows stored interactions, marks a moment, and finishes the recording") {
  const Suite suite;
  const Device device;
  Server recorder(suite.folder.path(), suite.completing(device, {"--control", "127.0.0.1:0"}));
  (void)play(recorder.url(), flow("", {network, shares}));
  CHECK(post(recorder, "/mark", "{\"name\":\"after the shares\"}").status == 200);
  const json state = json::parse(
      curl({ready_value(recorder, "control") + "/state", "-H", "X-Tapedeck-Token: " + ready_value(recorder, "token")})
          .body);
  CHECK(state.at("learned").size() > 0);
  CHECK(state.at("counters").at("stored") == 3);
  CHECK(state.at("counters").at("miss") == 0);
  CHECK(post(recorder, "/finish", "{}").status == 200);
  CHECK(recorder.child().wait() == 0);
  CHECK(run_tapedeck({"ls", suite.cassette}).out.find("after the shares") != std::string::npos);
}

TEST_CASE(
    "scope rename: a name, or with * at the end of both the beginning of many, and never two scopes of one name") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "c.cassette", bytes_of_old = folder / "old.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) {
    for (const char* scope : {"old/a", "old/b%3B", "new/b%3B", "older"}) {
      (void)play(url, {in_scope(scope, {"info", {entry + info}})});
    }
  });
  std::filesystem::copy_file(cassette, bytes_of_old);
  struct Row {
    std::string old_name, new_name;
    int status;
    Names expected;
  };
  const Names before = {"new/b%3B 1", "old/a 1", "old/b%3B 1", "older 1"};
  const Row rows[] = {
      {"old/a", "x", 0, {"new/b%3B 1", "old/b%3B 1", "older 1", "x 1"}},
      {"old/*", "moved/to/*", 0, {"moved/to/a 1", "moved/to/b%3B 1", "new/b%3B 1", "older 1"}},
      {"old*", "*", 0, {"/a 1", "/b%3B 1", "er 1", "new/b%3B 1"}},
      {"old/*", "old/old/*", 0, {"new/b%3B 1", "old/old/a 1", "old/old/b%3B 1", "older 1"}},
      {"old/*", "new/*", 2, before},
      {"old/*", "new/", 2, before},
      {"old/a", "older", 2, before},
      {"nobody/*", "x/*", 2, before},
      {"older*", "*", 2, before},
  };
  for (const Row& row : rows) {
    CAPTURE(row.old_name, row.new_name);
    std::filesystem::copy_file(bytes_of_old, cassette, std::filesystem::copy_options::overwrite_existing);
    const Ran ran = run_tapedeck({"edit", cassette, "--rename", row.old_name + "=" + row.new_name});
    INFO(ran.err);
    CHECK(ran.status == row.status);
    CHECK(scopes_in(cassette) == row.expected);
  }
}

TEST_CASE(
    "record --mode new --overlay: overlays answer, the device is asked for the rest, and its answers are stored") {
  const Suite suite;
  const std::string file = suite.elsewhere / "overlays.toml";
  write_file(file, R"([[overlay]]
name = "no shares"
call = "Core.Share/1/list"
data = { shares = [], total = 0 }

[[overlay]]
name = "other portals"
call = "Core.AppPortal/1/list"
data = { portal = [] }

[[overlay]]
name = "in a scope"
call = "Core.Terminal/3/get"
scope = "laid over"
data = { enable_ssh = "of the overlay" }
)");
  const Device device;
  const auto compound = [](const std::string& parts) {
    return Step{"compound",
                {"{base}/webapi/entry.cgi", "--data-urlencode", "compound=[" + parts + "]", "-d",
                 "api=SYNO.Entry.Request&version=1&method=request&_sid={sid}"}};
  };
  const std::string one = R"({"api":"SYNO.Core.Network","version":1,"method":"get"})",
                    two = R"({"api":"SYNO.Core.Share","version":1,"method":"list"})",
                    three = R"({"api":"SYNO.Core.System","version":3,"method":"info"})",
                    four = R"({"api":"SYNO.Core.AppPortal","version":1,"method":"list"})";
  Transcript seen, scoped;
  {
    Server recorder(suite.folder.path(), suite.completing(device, {"--overlay", file}));
    seen = play(recorder.url(), {login_step(), call("shares", shares), call("portals", portals),
                                 compound(one + "," + two), compound(three + "," + two + "," + four)});
    scoped = play(recorder.url(), flow("laid over", {ssh, load}));
    CHECK(recorder.stop() == 0);
  }
  const auto body = [&seen](std::size_t step) { return json::parse(seen.replies[step].body); };
  CHECK(seen.replies[1].header("x-tapedeck-overlay") == "no shares");
  CHECK(seen.replies[2].header("x-tapedeck-overlay") == "other portals");
  CHECK(body(2).at("data").at("portal").empty());
  // A compound whose parts are not all recorded is sent as a whole, without overlays.
  const json result = body(4).at("data").at("result");
  CHECK(seen.replies[4].header("x-tapedeck-overlay") == "");
  CHECK(result.at(0).at("data").at("model") == "FX-100");
  CHECK(result.at(1).at("data").at("total") != 0);
  CHECK_FALSE(result.at(2).at("data").at("portal").empty());
  CHECK(json::parse(scoped.replies[1].body).at("data").at("enable_ssh") == "of the overlay");
  CHECK(code_of(scoped.replies[2]) == 0);
  CHECK(count(device, "Entry.Request/request") == 2);
  CHECK(count(device, "Core.Terminal/get") == 0);
  // The stored responses are those of the device.
  Server replay(suite.folder.path(), {"replay", suite.cassette});
  const Transcript plain =
      play(replay.url(), {login_step(), call("portals", portals), compound(three + "," + two + "," + four)});
  CHECK_FALSE(json::parse(plain.replies[1].body).at("data").at("portal").empty());
  const json whole = json::parse(plain.replies[2].body).at("data").at("result");
  CHECK(whole.at(1).at("data").at("total") != 0);
  CHECK_FALSE(whole.at(2).at("data").at("portal").empty());
  CHECK(play(replay.url(), {login_step(), call("shares", shares)}).replies[1].header("x-tapedeck-match") != "");
  CHECK(replay.stop() == 0);
}

TEST_CASE("modes: --rerecord, --overlay, and --at-end are refused where they have no effect") {
  const TempDir folder;
  const std::string cassette = folder / "c.cassette", device = "http://127.0.0.1:1";
  write_file(folder / "o.toml", "[[overlay]]\ncall = \"Core.Share/1/list\"\ndata = {}\n");
  const std::vector<Names> wrong = {
      {"record", "--rerecord", "a", "--device", device, cassette},
      {"record", "--mode", "once", "--rerecord", "a", "--device", device, cassette},
      {"record", "--mode", "new", "--rerecord", "a%", "--device", device, cassette},
      {"record", "--overlay", folder / "o.toml", "--device", device, cassette},
      {"record", "--mode", "new", "--at-end", "miss", "--device", device, cassette},
      {"exec", "--mode", "new", "--at-end", "miss", "--device", device, cassette, "--", "true"},
      {"record", "--mode", "new", "--overlay", folder / "none.toml", "--device", device, cassette},
      {"exec", "--rerecord", "a", cassette, "--", "true"},
      {"exec", "--mode", "all", "--rerecord", "a", "--device", device, cassette, "--", "true"},
  };
  for (const Names& arguments : wrong) {
    CAPTURE(arguments);
    CHECK(run_tapedeck(arguments).status == 2);
  }
  CHECK_FALSE(std::filesystem::exists(cassette));
}

}  // namespace tapedeck::tests::mode_scopes_cases
