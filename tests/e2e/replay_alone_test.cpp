// Tests `tapedeck replay` without a cassette, its errors, and that it opens no connection.

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "tests/e2e/harness.h"
#include "tests/support/needs.h"

namespace tapedeck::tests::replay_alone_cases {

namespace {

const std::string portal = "api={label}.Core.AppPortal&version=1&method=list";

std::vector<Step> spec_session() {
  return {{"info", {"{base}/webapi/query.cgi?api={label}.API.Info&version=1&method=query"}},
          login_step(),
          call("network", "api={label}.Core.Network&version=1&method=get"),
          call("rules", "api={label}.Core.SecurityScan.Status&version=1&method=rule_get&items=ALL"),
          call("portals", portal),
          call("portals with more", portal + "&additional=%5B%22default_setting%22%5D"),
          logout_step()};
}

int code_of(const Reply& reply) {
  const auto body = nlohmann::json::parse(reply.body, nullptr, false);
  return body.is_object() && body.contains("error") ? body["error"]["code"].get<int>() : 0;
}

}  // namespace

TEST_CASE("replay alone: login, API.Info, and the three fallbacks work under any first label") {
  for (const std::string label : {"SVC", "SYNO"}) {
    CAPTURE(label);
    const TempDir folder;
    Server replay = builtin_replay(folder.path());
    const Login login{"anybody", "any", label};
    const Transcript seen = play(replay.url(), spec_session(), login);
    const std::vector<std::string> outcomes = {"builtin",  "builtin",  "fallback", "fallback",
                                               "fallback", "fallback", "builtin"};
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      CAPTURE(seen.steps[i].name);
      CHECK(seen.steps[i].status == 200);
      CHECK(seen.replies[i].header("x-tapedeck-outcome") == outcomes[i]);
      CHECK(nlohmann::json::parse(seen.steps[i].body).at("success") == true);
    }
    CHECK_FALSE(seen.sid.empty());
    const auto network = nlohmann::json::parse(seen.steps[2].body).at("data");
    CHECK(network.size() == 13);
    CHECK(network.at("gateway_info").size() == 6);
    CHECK(seen.steps[4].body.find("default_setting") == std::string::npos);
    CHECK(seen.steps[5].body.find("default_setting") != std::string::npos);
    CHECK(play(replay.url(), spec_session(), {"anybody", "any", label}).steps[2] == seen.steps[2]);
    CHECK(replay.stop() == 0);
  }
}

TEST_CASE("replay alone: --no-fallback makes the three operations misses with an explanation") {
  const TempDir folder;
  Server replay = builtin_replay(folder.path(), {"--no-fallback"});
  const Transcript seen = play(replay.url(), spec_session());
  CHECK(seen.replies[2].header("x-tapedeck-outcome") == "miss");
  CHECK(code_of(seen.replies[2]) == 100);
}

TEST_CASE("replay alone: errors are HTTP 200 with an envelope and an outcome in the device's order of checks") {
  const TempDir folder;
  Server replay = builtin_replay(folder.path());
  const std::vector<std::pair<std::string, int>> rows = {
      {"", 101},
      {"version=1&method=get", 101},
      {"api=SYNO.Core.Network&method=get", 101},
      {"api=SYNO.Core.Network&version=1", 101},
      {"api=SYNO.No.Such.Api&version=99&method=nothing", 102},
      {"api=SYNO.Core.Network&version=99&method=nothing", 104},
      {"api=SYNO.Core.Network&version=1&method=nothing", 103},
      {"api=SYNO.Core.Share&version=1&method=list", 100},
  };
  for (const auto& [query, code] : rows) {
    CAPTURE(query);
    const Reply reply = curl({replay.url() + "/webapi/entry.cgi?" + query});
    CHECK(reply.status == 200);
    CHECK(reply.header("content-type").starts_with("application/json"));
    CHECK_FALSE(reply.header("x-tapedeck-outcome").empty());
    CHECK(code_of(reply) == code);
    CHECK(nlohmann::json::parse(reply.body).at("success") == false);
  }
}

TEST_CASE("replay: opens no connection to anywhere", "[long]") {
  const TempDir folder;
  const std::string trace = folder / "trace";
  if (is_missing("strace", run({"strace", "-f", "-e", "trace=connect", "-o", trace, "true"}).status == 0)) return;
  const Device device;
  const std::string cassette = folder / "s.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) { (void)play(url, whole_session()); });
  const auto reached = device.requests();
  // With -D, the server is the test's child and strace is separate, so that signals reach the server. A leak sanitizer
  // does not work under strace.
  Server replay(folder.path(), {"replay", cassette}, "127.0.0.1:0",
                {"strace", "-D", "-f", "-q", "-E", "ASAN_OPTIONS=detect_leaks=0", "-e", "trace=connect", "-e",
                 "signal=none", "-o", trace});
  (void)play(replay.url(), whole_session());
  (void)play(replay.url(), spec_session());
  CHECK(replay.stop() == 0);
  const std::regex end("(^|\n)" + std::to_string(replay.child().pid()) + " +\\+\\+\\+ exited with 0");
  for (int i = 0; i < 500 && !std::regex_search(read_file(trace), end); ++i) {
    std::this_thread::sleep_for(milliseconds(10));  // strace writes the last line after the server has ended
  }
  CHECK(std::regex_search(read_file(trace), end));
  CHECK(read_file(trace).find("connect(") == std::string::npos);
  CHECK(device.requests() == reached);
}

TEST_CASE("replay alone: without a cassette, a simulated NAS responds, and its writes change what reads return") {
  const TempDir folder;
  std::ofstream(folder / "mine.toml") << "[[overlay]]\ncall = \"Core.User/*/list\"\nerror = 407\n";
  struct Row {
    const char* query;
    const char* outcome;
    const char* part;  ///< of the response
  };
  const char* const shares = "api={label}.Core.Share&version=1&method=list";
  const char* const folders = "api={label}.FileStation.List&version=2&method=list&folder_path=/family";
  const char* const tasks = "api={label}.DownloadStation.Task&version=1&method=list";
  const Row rows[] = {
      {"api={label}.Core.System&version=1&method=info", "overlay", "\"firmware_ver\""},
      {"api={label}.Core.System&version=3&method=info", "overlay", "\"firmware_ver\""},
      {"api={label}.Storage.CGI.Storage&version=1&method=load_info", "overlay", "\"disks\""},
      {"api={label}.Core.Share&version=1&method=get&name=attic-keys", "overlay", "\"code\":402"},
      {"api={label}.Core.User&version=1&method=list", "overlay", "\"code\":407"},
      {"api={label}.API.Info&version=1&method=query&query=all", "builtin", "API.Auth"},
      {"api={label}.Core.NoSuch&version=1&method=get", "miss", "\"code\":102"},
      {shares, "overlay", "\"total\":4"},
      {"api={label}.Core.Share&version=1&method=create&name=%22plans%22", "derived", "\"name\":\"plans\""},
      {shares, "derived", "\"name\":\"plans\""},
      {"api={label}.FileStation.List&version=2&method=list_share", "derived", "\"path\":\"/plans\""},
      {"api={label}.Core.Share&version=1&method=delete&name=plans", "derived", "true"},
      {shares, "derived", "\"total\":4"},
      {folders, "overlay", "\"total\":3"},
      {"api={label}.FileStation.CreateFolder&version=2&method=create&folder_path=%5B%22/family%22%5D&name=%5B%222026%22%5D",
       "derived", "true"},
      {folders, "derived", "\"path\":\"/family/2026\""},
      {"api={label}.FileStation.Delete&version=2&method=delete&path=/family/2024", "derived", "true"},
      {folders, "derived", "\"total\":3"},
      {tasks, "overlay", "\"total\":2"},
      {"api={label}.DownloadStation.Task&version=1&method=create&uri=http://files.example/a.iso", "derived", "true"},
      {tasks, "derived", "\"title\":\"http://files.example/a.iso\""},
      {"api={label}.Core.Terminal&version=3&method=set&enable_ssh=true", "derived", "true"},
      {"api={label}.Core.Terminal&version=3&method=get", "derived", "\"enable_ssh\":true"},
      {"api={label}.Entry.Request&version=1&method=request&compound=%5B%7B%22api%22:%22{label}.Core.Network%22,"
       "%22version%22:2,%22method%22:%22get%22%7D%5D",
       "builtin", "\"has_fail\":false"},
  };
  for (const std::string label : {"SVC", "SYNO"}) {
    Server replay(folder.path(), {"replay", "--strict", "--overlay", folder / "mine.toml"});
    std::vector<Step> steps = {login_step()};
    for (const Row& row : rows) steps.push_back(call(row.query, row.query));
    const Transcript seen = play(replay.url(), steps, {"anybody", "any", label});
    for (std::size_t i = 0; i < std::size(rows); ++i) {
      CAPTURE(label, rows[i].query, seen.steps[i + 1].body);
      CHECK(seen.replies[i + 1].header("x-tapedeck-outcome") == rows[i].outcome);
      CHECK(seen.steps[i + 1].body.find(rows[i].part) != std::string::npos);
    }
    CHECK(replay.stop() == 3);
    CHECK(replay.err().find("a simulated NAS") != std::string::npos);
    CHECK(replay.out().find("unused overlay") == std::string::npos);
  }
}

}  // namespace tapedeck::tests::replay_alone_cases
