// Tests sessions and the order of responses on replay, with recordings made by the recorder (docs/matching.md,
// "Sequences, lanes, and positions").

#include <catch2/catch.hpp>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::replay_sessions_cases {

namespace {

const std::string load = "api=SYNO.Core.System.Utilization&version=1&method=get";
const std::string ssh = "api=SYNO.Core.Terminal&version=3&method=get";
const std::string ssh_on = "api=SYNO.Core.Terminal&version=3&method=set&enable_ssh=true";

/// Returns the bodies of the steps except the first one, which is the login.
std::vector<std::string> bodies(const Transcript& seen) {
  std::vector<std::string> all;
  for (std::size_t i = 1; i < seen.steps.size(); ++i) {
    all.push_back(seen.steps[i].body);
  }
  return all;
}

std::string get(const Server& server, const std::string& query, const std::string& sid,
                std::vector<std::string> more = {}) {
  more.insert(more.begin(), server.url() + "/webapi/entry.cgi?" + query + "&_sid=" + sid);
  return curl(more).body;
}

constexpr auto ended = R"({"error":{"code":119},"success":false})";

}  // namespace

TEST_CASE("replay: each session has its own positions, and the last response repeats") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "c.cassette";
  const std::vector<Step> three = {login_step(), call("1", load), call("2", load), call("3", load)};
  Transcript recorded;
  record(folder.path(), device, cassette, [&](const std::string& url) { recorded = play(url, three); });
  const std::vector<std::string> expected = bodies(recorded);
  Server replay(folder.path(), {"replay", cassette});
  const std::string one = play(replay.url(), {login_step()}, {"one", "x"}).sid;
  const std::string two = play(replay.url(), {login_step()}, {"two", "x"}).sid;
  CHECK(get(replay, load, one) == expected[0]);
  CHECK(get(replay, load, one) == expected[1]);
  CHECK(get(replay, load, two) == expected[0]);
  CHECK(get(replay, load, one) == expected[2]);
  CHECK(get(replay, load, one) == expected[2]);
  CHECK(get(replay, load, two) == expected[1]);
  CHECK(get(replay, load, one, {"-H", "X-Tapedeck-Scope: apart"}) == expected[0]);
}

TEST_CASE("replay: reads do not pass a write however often a client reads") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "w.cassette";
  Transcript recorded;
  record(folder.path(), device, cassette, [&](const std::string& url) {
    recorded = play(url, {login_step(), call("before", ssh), call("set", ssh_on), call("after", ssh)});
  });
  const std::vector<std::string> expected = bodies(recorded);
  REQUIRE(expected[0] != expected[2]);
  Server replay(folder.path(), {"replay", cassette});
  const std::string sid = play(replay.url(), {login_step()}).sid;
  const std::string reader = play(replay.url(), {login_step()}, {"reader", "x"}).sid;
  for (int i = 0; i < 3; ++i) {
    CHECK(get(replay, ssh, sid) == expected[0]);
  }
  CHECK(get(replay, ssh_on, sid) == expected[1]);
  for (int i = 0; i < 3; ++i) {
    CHECK(get(replay, ssh, sid) == expected[2]);
    CHECK(get(replay, ssh, reader) == expected[0]);
  }
}

TEST_CASE("replay: a client that logs in before every call can poll to the end") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "p.cassette";
  std::vector<Step> steps;
  for (int i = 0; i < 3; ++i) {
    steps.push_back(login_step());
    steps.push_back(call("info", "api=SYNO.Core.System&version=3&method=info"));
  }
  Transcript recorded;
  record(folder.path(), device, cassette, [&](const std::string& url) { recorded = play(url, steps); });
  Server replay(folder.path(), {"replay", cassette});
  CHECK(differences(recorded, play(replay.url(), steps)) == std::vector<std::string>());
}

TEST_CASE("replay: an expired session in the recording is skipped, and the repeated call gets its response") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "e.cassette";
  const Step old = call("old id", "api=SYNO.Core.Network&version=2&method=get");
  std::string answer;
  record(folder.path(), device, cassette, [&](const std::string& url) {
    const Transcript seen = play(url, {login_step(), logout_step(), old, login_step(), old});
    CHECK(seen.steps[2].body == ended);
    answer = seen.steps[4].body;
  });
  Server replay(folder.path(), {"replay", cassette});
  const Transcript seen = play(replay.url(), {login_step(), old});
  CHECK(seen.steps[1].body == answer);
}

TEST_CASE("replay: --auth decides what an unknown or ended session gets") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette";
  std::string answer;
  record(folder.path(), device, cassette, [&](const std::string& url) {
    answer = play(url, {login_step(), call("ssh", ssh)}).steps[1].body;
  });
  {
    Server lenient(folder.path(), {"replay", cassette});
    CHECK(get(lenient, ssh, "never-seen-before") == answer);
    const Transcript seen = play(lenient.url(), {login_step(), call("ssh", ssh), logout_step(), call("ssh", ssh)});
    CHECK(seen.steps[1].body == answer);
    CHECK(seen.steps[3].body == ended);
  }
  {
    Server strict(folder.path(), {"replay", "--auth", "strict", cassette});
    CHECK(get(strict, ssh, "never-seen-before") == ended);
    CHECK(play(strict.url(), {login_step(), {"ssh", {call("", ssh).curl[0] + "&SynoToken={token}"}}}).steps[1].body ==
          answer);
  }
}

TEST_CASE("replay: a miss names the nearest recording, and --strict exits with 3") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "m.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) {
    (void)play(url, {login_step(), call("list", "api=SYNO.Core.Share&version=1&method=list&limit=5")});
  });
  Server replay(folder.path(), {"replay", "--strict", cassette});
  const Transcript seen =
      play(replay.url(), {login_step(), call("list", "api=SYNO.Core.Share&version=1&method=list&limit=6")});
  CHECK(seen.steps[1].status == 200);
  CHECK(seen.replies[1].header("x-tapedeck-outcome") == "miss");
  CHECK(seen.steps[1].body.find("\"code\":100") != std::string::npos);
  CHECK(seen.steps[1].body.find("limit") != std::string::npos);
  CHECK(replay.stop() == 3);
}

TEST_CASE("replay: a compound that was not recorded is handled part by part") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "parts.cassette";
  const std::vector<Step> single = {login_step(), call("network", "api=SYNO.Core.Network&version=1&method=get"),
                                    call("ssh", ssh)};
  Transcript recorded;
  record(folder.path(), device, cassette, [&](const std::string& url) { recorded = play(url, single); });
  Server replay(folder.path(), {"replay", cassette});
  const std::string sid = play(replay.url(), {login_step()}).sid;
  const Reply reply = curl(
      {replay.url() + "/webapi/entry.cgi", "-d", "api=SYNO.Entry.Request&version=1&method=request&_sid=" + sid,
       "--data-urlencode",
       R"(compound=[{"api":"SYNO.Core.Terminal","version":3,"method":"get"},{"api":"SYNO.Core.Network","version":1,"method":"get"}])"});
  CHECK(reply.header("x-tapedeck-outcome") == "builtin");
  CHECK(reply.body.find("\"has_fail\":false") != std::string::npos);
  CHECK(reply.body.find(R"("data":{"enable_ssh":false)") != std::string::npos);
  CHECK(reply.body.find(R"("note":"a\/b \u00e9","load":1.0})") != std::string::npos);
}

}  // namespace tapedeck::tests::replay_sessions_cases
