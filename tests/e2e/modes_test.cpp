// Tests record --mode: recorded requests are replayed, and others are sent to the device.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/joined_thread.h"
#include "tests/e2e/harness.h"
#include "tests/support/deep_search.h"
#include "tests/support/needs.h"

namespace tapedeck::tests::modes_cases {

namespace {

const Step network_step = call("network", "api={label}.Core.Network&version=1&method=get");
const Step shares = call("shares", "api={label}.Core.Share&version=1&method=list");
const Step portals_step = call("portals", "api={label}.Core.AppPortal&version=1&method=list");
const Step link_of_session = call("link", "api={label}.FileStation.List&version=2&method=getlink");
const Step ssh_before = call("ssh before", "api={label}.Core.Terminal&version=3&method=get");
const Step ssh_on = call("ssh on", "api={label}.Core.Terminal&version=3&method=set&enable_ssh=true");

/// A cassette with one take.
struct Started {
  explicit Started(std::vector<Step> steps = {login_step(), network_step, logout_step()}) {
    const Device device;
    tests::record(folder.path(), device, cassette, [&steps](const std::string& url) { (void)play(url, steps); });
    old_bytes = read_file(cassette);
  }
  /// Returns the options for `record --mode new` with the device.
  [[nodiscard]] std::vector<std::string> completing(const Device& device, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"record", "--mode", "new", "--device", device.url(), cassette};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  TempDir folder;
  std::string cassette = folder / "c.cassette", old_bytes;
};

std::vector<std::string> files_in(const TempDir& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename().string();
    if (name.find("cassette") != std::string::npos) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

using Names = std::vector<std::string>;

/// Returns every value that the device sent or received, which no file may contain.
Names secrets_of(const Device& device) {
  const DeviceSecrets all = device.secrets();
  Names values = {device.options().password};
  for (const auto* const kind : {&all.session_ids, &all.csrf_tokens, &all.device_ids}) {
    values.insert(values.end(), kind->begin(), kind->end());
  }
  return values;
}

}  // namespace

TEST_CASE("mode new: replays recorded requests, and records logins and the others") {
  const Started started;
  const Names old_ids = ids_in(started.cassette);
  std::vector<std::string> old_texts;
  for (const std::string& id : old_ids)
    old_texts.push_back(run_tapedeck({"show", started.cassette, id, "--as", "body"}).out);
  const Device device;
  const std::vector<Step> flow = {login_step(), network_step, shares, link_of_session, network_step, logout_step()};
  Transcript seen;
  {
    Server recorder(started.folder.path(), started.completing(device, {"--note", "the shares"}));
    seen = play(recorder.url(), flow);
    CHECK(read_file(started.cassette) == started.old_bytes);
    CHECK(recorder.stop() == 0);
    CHECK(deep_search(recorder.err() + recorder.out(), secrets_of(device)).empty());
  }
  CHECK(count(device, "Core.Network/get") == 0);
  CHECK(count(device, "Core.Share/list") == 1);
  CHECK(count(device, "FileStation.List/getlink") == 1);
  CHECK(count(device, "API.Auth/login") == 1);
  CHECK(count(device, "API.Auth/logout") == 1);
  CHECK(seen.replies[1].header("x-tapedeck-outcome") == "recorded");
  for (std::size_t i = 0; i < flow.size(); ++i) {
    CAPTURE(seen.steps[i].name);
    CHECK(nlohmann::json::parse(seen.replies[i].body).at("success") == true);
  }
  CHECK(seen.replies[3].body.find(seen.sid) != std::string::npos);
  CHECK(device.secrets().session_ids == Names{seen.sid});

  CHECK(files_in(started.folder) == Names{"c.cassette"});
  const Names ids = ids_in(started.cassette);
  CHECK(ids.size() == old_ids.size() + 4);
  for (std::size_t i = 0; i < old_ids.size(); ++i) {
    CHECK(run_tapedeck({"show", started.cassette, old_ids[i], "--as", "body"}).out == old_texts[i]);
  }
  Names where;
  CHECK(deep_search_files(started.folder.path(), secrets_of(device), &where).empty());
  CHECK(where == Names());
  Server replay(started.folder.path(), {"replay", "--strict", started.cassette});
  const Transcript played = play(replay.url(), flow);
  CHECK(differences(seen, played) == Names());
  CHECK(replay.stop() == 0);
}

TEST_CASE("mode new: if everything is recorded, the device gets only logins and the cassette stays byte for byte") {
  const Started started;
  const Device device;
  Server recorder(started.folder.path(), started.completing(device));
  (void)play(recorder.url(), {login_step(), network_step, logout_step()});
  CHECK(recorder.stop() == 0);
  CHECK(device.requests() == 2);
  CHECK(read_file(started.cassette) == started.old_bytes);
  CHECK(files_in(started.folder) == Names{"c.cassette"});
}

TEST_CASE("mode new: no form of a write reaches the device without --allow-writes") {
  const Started started;
  const std::string form = "{base}/webapi/entry.cgi";
  const std::string compound =
      R"(compound=[{"api":"SYNO.Core.Share","version":1,"method":"list"},{"api":"SYNO.Core.Terminal","version":3,"method":"set","enable_ssh":true}])";
  const std::vector<Step> steps = {
      login_step(),
      ssh_on,
      {"compound",
       {form, "--data-urlencode", compound, "-d", "api=SYNO.Entry.Request&version=1&method=request&_sid={sid}"}},
      call("unknown name", "api=SYNO.Core.Nobody.Knows&version=1&method=purge"),
      call("no method", "api=SYNO.Core.Terminal&version=3"),
      {"no call", {"{base}/anything", "-X", "DELETE", "-H", "Cookie: id={sid}"}},
  };
  for (const bool allowed : {false, true}) {
    CAPTURE(allowed);
    const Device device;
    Server recorder(started.folder.path(), started.completing(device, allowed ? Names{"--allow-writes"} : Names{}));
    const Transcript seen = play(recorder.url(), steps);
    CHECK(recorder.stop() == 0);
    CHECK(count(device, "Core.Terminal/set") == (allowed ? 2 : 0));
    if (allowed) continue;
    CHECK(device.requests() == 1);  // the login
    for (std::size_t i = 1; i < steps.size(); ++i) {
      CAPTURE(steps[i].name);
      CHECK(seen.replies[i].header("x-tapedeck-blocked") == "write");
      CHECK(nlohmann::json::parse(seen.replies[i].body).at("error").at("code") == 105);
    }
  }
}

TEST_CASE("mode new: after a replayed write, unrecorded requests of that session are not sent") {
  const Started started({login_step(), ssh_before, ssh_on, network_step, logout_step()});
  const Device device;
  Server recorder(started.folder.path(), started.completing(device));
  const Transcript seen = play(recorder.url(), {login_step(), portals_step, ssh_before, ssh_on, network_step, shares});
  CHECK(nlohmann::json::parse(seen.replies[1].body).at("success") == true);
  CHECK(seen.replies[4].header("x-tapedeck-outcome") == "recorded");
  CHECK(seen.replies[5].header("x-tapedeck-outcome") == "miss");
  CHECK(seen.replies[5].header("x-tapedeck-blocked") == "state");
  CHECK(seen.replies[5].body.find("record the whole flow") != std::string::npos);
  CHECK(count(device, "Core.Share/list") == 0);
  const Transcript other = play(recorder.url(), {login_step(), shares});
  CHECK(nlohmann::json::parse(other.replies[1].body).at("success") == true);
  CHECK(count(device, "Core.Share/list") == 1);
  CHECK(recorder.stop() == 0);
}

TEST_CASE("mode new: a compound is replayed if all its parts are recorded, and otherwise sent as a whole") {
  const Started started({login_step(), network_step, portals_step, logout_step()});
  const auto compound = [](const std::string& name, const std::string& parts) {
    return Step{name,
                {"{base}/webapi/entry.cgi", "--data-urlencode", "compound=[" + parts + "]", "-d",
                 "api=SYNO.Entry.Request&version=1&method=request&_sid={sid}"}};
  };
  const std::string one = R"({"api":"SYNO.Core.Network","version":1,"method":"get"})";
  const std::string two = R"({"api":"SYNO.Core.AppPortal","version":1,"method":"list"})";
  const std::string lacking = R"({"api":"SYNO.Core.System","version":3,"method":"info"})";
  const Device device;
  Server recorder(started.folder.path(), started.completing(device));
  const Transcript seen =
      play(recorder.url(), {login_step(), compound("all", one + "," + two), compound("one", one + "," + lacking)});
  CHECK(recorder.stop() == 0);
  CHECK(seen.replies[1].header("x-tapedeck-outcome") == "builtin");
  CHECK(count(device, "Entry.Request/request") == 1);
  CHECK(nlohmann::json::parse(seen.replies[2].body).at("data").at("result").size() == 2);
}

TEST_CASE("mode new: a compound that is sent as a whole advances no position") {
  const Step load = call("load", "api={label}.Core.System.Utilization&version=1&method=get");
  const Step compound{"compound",
                      {"{base}/webapi/entry.cgi", "--data-urlencode",
                       R"(compound=[{"api":"SYNO.Core.System.Utilization","version":1,"method":"get"},)"
                       R"({"api":"SYNO.Core.System","version":3,"method":"info"}])",
                       "-d", "api=SYNO.Entry.Request&version=1&method=request&_sid={sid}"}};
  const Started started({login_step(), load, load, load, logout_step()});
  Server replay(started.folder.path(), {"replay", started.cassette});
  const Transcript in_order = play(replay.url(), {login_step(), load, load});
  CHECK(replay.stop() == 0);
  REQUIRE(in_order.replies[1].body != in_order.replies[2].body);
  const Device device;
  Server recorder(started.folder.path(), started.completing(device));
  const Transcript seen = play(recorder.url(), {login_step(), compound, load, load});
  CHECK(recorder.stop() == 0);
  CHECK(count(device, "Entry.Request/request") == 1);
  CHECK(seen.replies[2].body == in_order.replies[1].body);
  CHECK(seen.replies[3].body == in_order.replies[2].body);
}

TEST_CASE("mode new: SIGKILL during a call or at the end keeps the old content") {
  const int rounds = is_long() ? 100 : 8;
  const Started started;
  const Names old_ids = ids_in(started.cassette);
  const Names calls = {"Core.Share&method=list", "Core.AppPortal&method=list", "Core.System.Utilization&method=get"};
  const Device device;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    Server recorder(started.folder.path(), started.completing(device));
    std::vector<Step> steps = {login_step()};
    for (int i = 0; i < 6; ++i) {
      steps.push_back(call("more", "api={label}." + calls[static_cast<std::size_t>(i) % 3] + "&version=1"));
      if (round % 3 == 1) steps.back().curl.insert(steps.back().curl.end(), {"-H", "X-Tapedeck-Scope: a test"});
    }
    {
      const base::JoinedThread client([&] { (void)play(recorder.url(), steps); });
      std::this_thread::sleep_for(milliseconds(20 + 13 * (round % 20)));
      if (round % 2 == 0) {
        recorder.child().signal(SIGTERM);
        std::this_thread::sleep_for(milliseconds(7 * (round % 25)));
      }
      recorder.kill();
    }
    // A run that came this far, and the run that finishes its recording, have installed the new content, which includes
    // the old one.
    static_cast<void>(run_tapedeck({"scrub", started.cassette}));
    if (read_file(started.cassette) != started.old_bytes) {
      const Names ids = ids_in(started.cassette);
      CHECK(ids.size() >= old_ids.size());
      for (const std::string& id : old_ids) CHECK(std::count(ids.begin(), ids.end(), id) == 1);
      write_file(started.cassette, started.old_bytes);
    }
  }
  Server replay(started.folder.path(), {"replay", "--strict", started.cassette});
  (void)play(replay.url(), {login_step(), network_step});
  CHECK(replay.stop() == 0);
}

TEST_CASE("mode new: SIGKILL at any time keeps the cassette, and the next run finishes the recording") {
  const int rounds = is_long() ? 100 : 4;
  const Started started;
  const Device device;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    Server recorder(started.folder.path(), started.completing(device));
    CHECK((recorder.err().find("was killed") != std::string::npos) == (round > 0));
    const std::string before = read_file(started.cassette);
    std::vector<Step> steps = {login_step()};
    for (int i = 0; i < 1 + round % 6; ++i) {
      steps.push_back(call(
          "load", "api={label}.Core.System.Utilization&version=1&method=get&n=" + std::to_string(100 * round + i)));
    }
    (void)play(recorder.url(), steps);
    recorder.kill();
    CHECK(read_file(started.cassette) == before);
  }
  CHECK(run_tapedeck({"scrub", started.cassette}).status == 3);
  Server replay(started.folder.path(), {"replay", "--strict", started.cassette});
  (void)play(replay.url(), {login_step(), network_step});
  CHECK(replay.stop() == 0);
}

TEST_CASE("mode once: replays an existing cassette without the device, or else records it") {
  const TempDir folder;
  const std::string cassette = folder / "c.cassette";
  const Device device;
  const std::vector<std::string> arguments = {"record", "--mode", "once", "--device", device.url(), cassette};
  const std::vector<Step> flow = {login_step(), network_step, logout_step()};
  Server first(folder.path(), arguments);
  const Transcript seen = play(first.url(), flow);
  CHECK(first.stop() == 0);
  const auto asked = device.requests();
  CHECK(asked == flow.size());
  Server second(folder.path(), arguments);
  CHECK(differences(seen, play(second.url(), flow)) == Names());
  CHECK(play(second.url(), {login_step(), shares}).replies[1].header("x-tapedeck-outcome") == "miss");
  CHECK(second.stop() == 0);
  CHECK(device.requests() == asked);
}

TEST_CASE("modes: options without an effect are refused") {
  const TempDir folder;
  const std::string device = "http://127.0.0.1:1", cassette = folder / "c.cassette";
  const std::vector<Names> wrong = {
      {"record", "--mode", "never", "--device", device, cassette},
      {"record", "--mode", "all", "--allow-writes", "--device", device, cassette},
  };
  for (const Names& arguments : wrong) {
    CAPTURE(arguments[2], arguments[3]);
    CHECK(run_tapedeck(arguments).status == 2);
  }
  CHECK(files_in(folder) == Names());
}

}  // namespace tapedeck::tests::modes_cases
