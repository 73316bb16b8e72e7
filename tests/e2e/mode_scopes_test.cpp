// Tests scopes and overlays with a device: recorded scopes are replayed, and a missing scope is recorded as a whole.

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "tests/e2e/mode_scopes.h"

namespace tapedeck::tests::mode_scopes_cases {

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

TEST_CASE("clock: it is the current time while a scope is recorded, and the recorded time on replay") {
  const Suite suite;
  const Device device;
  const Names control = {"--control", "127.0.0.1:0"};
  // These texts sort by time.
  const auto clock_of = [](const Server& server, const std::string& scope) {
    const Reply reply = curl({ready_value(server, "control") + "/clock?scope=" + scope, "-H",
                              "X-Tapedeck-Token: " + ready_value(server, "token")});
    return json::parse(reply.body).at("now").get<std::string>();
  };
  const std::string before = base::rfc3339(base::now_us());
  {
    Server recorder(suite.folder.path(), suite.completing(device, control));
    CHECK(clock_of(recorder, "fresh") >= before);
    CHECK(clock_of(recorder, "reads") < before);
    (void)play(recorder.url(), flow("fresh", {network}));
    CHECK(clock_of(recorder, "fresh") >= before);
    CHECK(recorder.stop() == 0);
  }
  {
    Server recorder(suite.folder.path(),
                    {"record", "--device", device.url(), suite.elsewhere / "all.cassette", "--control", "127.0.0.1:0"});
    CHECK(clock_of(recorder, "fresh") >= before);
    CHECK(recorder.stop() == 0);
  }
  const std::string after = base::rfc3339(base::now_us());
  Server replay(suite.folder.path(), {"replay", suite.cassette, "--control", "127.0.0.1:0"});
  CHECK(clock_of(replay, "fresh") > before);
  (void)play(replay.url(), flow("fresh", {network}));
  CHECK(clock_of(replay, "fresh") > before);
  CHECK(clock_of(replay, "fresh") < after);
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
