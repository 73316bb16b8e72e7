// Tests overlays with the built program.

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/e2e/fault_client.h"
#include "tests/e2e/harness.h"
#include "tests/http/raw_socket.h"
#include "tests/support/needs.h"

namespace tapedeck::tests::overlay_cases {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

const std::string network = "/webapi/entry.cgi?api=SVC.Core.Network&version=1&method=get";

std::string rule(const std::string& lines, const std::string& call = "Core.Network/1/get") {
  return "[[overlay]]\ncall = \"" + call + "\"\n" + lines + "\n";
}

/// Returns curl's exit status and output.
Ran fetch(const std::string& url, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"curl", "-sS", "-k", "--max-time", "5"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.push_back(url);
  return run(arguments);
}

TEST_CASE("overlays: an error in a file has its line, and the exit status is 2") {
  const TempDir folder;
  write_file(folder / "o.toml", rule("errors = 119"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"replay", "--overlay", folder / "o.toml", "--listen", "127.0.0.1:0"},
        {"exec", "--overlay", folder / "o.toml", "--", "true"},
        {"overlay", folder / "o.toml"}}) {
    const Ran ran = run_tapedeck(command);
    CHECK(ran.status == 2);
    CHECK(ran.err.find("o.toml:3: unknown key `errors`") != std::string::npos);
  }
  CHECK(run_tapedeck({"exec", "--overlay", folder / "none.toml", "--", "true"}).status == 2);
  CHECK(run_tapedeck({"exec", "--delay", "800", "--", "true"}).status == 2);
}

TEST_CASE("overlays: curl reports each fault over http and https") {
  const TempDir folder;
  const std::string file = folder / "o.toml";
  const std::vector<std::pair<std::string, std::vector<int>>> faults = {
      {"fault = \"reset\"", {56, 35}},
      {"fault = \"close\"", {52, 56}},
      {"data = \"\\\"0123456789\\\"\"\nfault = \"cut\"", {18, 56}},
      {"fault = \"hang\"", {28}},
      {"fault = \"garbage\"", {1, 8}},
      {"fault = \"empty\"", {0}},
  };
  for (const bool tls : {false, true}) {
    std::string rules;
    for (std::size_t i = 0; i < faults.size(); ++i)
      rules += rule(faults[i].first, "Core.F" + std::to_string(i) + "/1/get");
    write_file(file, rules);
    std::vector<std::string> arguments = {"replay", "--overlay", file};
    if (tls) arguments.push_back("--tls");
    Server server(folder.path().string(), arguments);
    for (std::size_t i = 0; i < faults.size(); ++i) {
      CAPTURE(tls, faults[i].first);
      const std::string url =
          server.url() + "/webapi/entry.cgi?api=SVC.Core.F" + std::to_string(i) + "&version=1&method=get";
      const Ran ran = fetch(url, {"--max-time", "1"});
      CHECK_THAT(faults[i].second, Catch::Matchers::VectorContains(ran.status));
    }
    CHECK(fetch(server.url() + network).status == 0);
    CHECK(server.stop() == 0);
  }
}

TEST_CASE("overlays: a changed file applies within half a second") {
  const TempDir folder;
  const std::string file = folder / "o.toml";
  write_file(file, rule("data = 1"));
  Server server(folder.path().string(), {"replay", "--overlay", file});
  const auto answer = [&] { return fetch(server.url() + network).out; };
  const auto comes_to = [&](const std::string& expected) {
    const auto start = Clock::now();
    while (answer() != expected && Clock::now() - start < 10s) std::this_thread::sleep_for(10ms);
    return Clock::now() - start;
  };
  CHECK(answer() == R"({"data":1,"success":true})");
  write_file(file, rule("data = 2"));
  CHECK(comes_to(R"({"data":2,"success":true})") < 2s);  // half a second, plus time for a busy machine
  write_file(file, rule("datum = 3"));
  std::this_thread::sleep_for(600ms);
  CHECK(answer() == R"({"data":2,"success":true})");
  write_file(file, rule("data = 4"));
  CHECK(comes_to(R"({"data":4,"success":true})") < 2s);
  CHECK(server.stop() == 0);
  const std::string log = server.err();
  CHECK(log.find("reloaded overlays: 1 overlay") != std::string::npos);
  const std::size_t first = log.find("keeping the previous overlays");
  REQUIRE(first != std::string::npos);
  CHECK(log.find("keeping the previous overlays", first + 1) == std::string::npos);
}

/// One client that sends requests until it is stopped, with the number of responses and the last incomplete one.
struct OneClient {
  unsigned answers = 0;
  std::string bad;
  void ask(const std::string& url, const std::atomic<bool>& done) {
    auto client = http::testing::RawSocket::connect(port_of(url));
    while (!done) {
      client.send("GET " + network + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
      const std::string answer = client.read_message();
      const json body = json::parse(answer.substr(std::min(answer.find("\r\n\r\n"), answer.size())), nullptr, false);
      const json a = body.is_object() ? body.value(json::json_pointer("/data/a"), json()) : json();
      const bool is_whole = a.is_number() && a == body.value(json::json_pointer("/data/b"), json());
      if (!is_whole) bad = answer + ".";
      ++answers;
      if (answer.empty()) break;
    }
  }
};

TEST_CASE("overlays: while a file is edited, each response comes completely from one of its versions") {
  const int edits = is_long() ? 1'000 : 30;
  const TempDir folder;
  const std::string file = folder / "o.toml";
  const auto version = [](int n) {
    return rule("data = { a = " + std::to_string(n) + ", pad = \"" + std::string(2'000, 'x') +
                "\", b = " + std::to_string(n) + " }");
  };
  write_file(file, version(0));
  Server server(folder.path().string(), {"replay", "--overlay", file, "--threads", "2"});
  std::atomic<bool> done = false;
  std::array<OneClient, 8> asking;
  std::vector<std::thread> clients;
  for (OneClient& one : asking) clients.emplace_back([&one, &done, &server] { one.ask(server.url(), done); });
  for (int n = 1; n <= edits; ++n) {
    // Some editors write in place, and others replace the file.
    write_file(n % 2 == 0 ? file : folder / "new", version(n));
    if (n % 2 != 0) std::filesystem::rename(folder / "new", file);
    std::this_thread::sleep_for(10ms);
  }
  const std::string last = "\"a\":" + std::to_string(edits) + ",";
  const auto start = Clock::now();
  while (fetch(server.url() + network).out.find(last) == std::string::npos && Clock::now() - start < 10s) {
    std::this_thread::sleep_for(20ms);
  }
  CHECK(Clock::now() - start < 5s);
  done = true;
  for (std::thread& client : clients) client.join();
  CHECK(server.stop() == 0);
  INFO(server.err());
  for (const OneClient& one : asking) {
    CHECK(one.bad == std::string());
    CHECK(one.answers > 20);
  }
  CHECK(server.err().find("reloaded overlays") != std::string::npos);
}

TEST_CASE("overlays: shutdown does not wait for delayed responses") {
  const TempDir folder;
  write_file(folder / "o.toml", rule("fault = \"hang\""));
  Server server(folder.path().string(), {"replay", "--overlay", folder / "o.toml", "--delay", "1m"});
  std::thread hanging([&] { (void)fetch(server.url() + network, {"--max-time", "30"}); });
  std::thread late([&] {
    (void)fetch(server.url() + "/webapi/entry.cgi?api=SVC.X&version=1&method=get", {"--max-time", "30"});
  });
  std::this_thread::sleep_for(500ms);
  const auto start = Clock::now();
  CHECK(server.stop() == 0);
  hanging.join();
  late.join();
  CHECK(Clock::now() - start < 5s);
}

TEST_CASE("overlays: the leak scan reads overlay files, and marks are not secrets") {
  const std::string made_up = "Zx81kfQpWm3bRt70uLs95vNcYe2hGd46aJoT";
  const std::vector<std::pair<std::string, int>> rows = {
      {rule("data = { sid = \"" + made_up + "\" }"), 3},
      {rule("json = '{\"data\":{\"sid\":\"" + made_up + "\"}}'"), 3},
      {rule("headers = { Set-Cookie = \"id=" + made_up + "; path=/\" }"), 3},
      {rule("params = { passwd = \"" + made_up + "\" }\nerror = 400", "API.Auth/6/login"), 3},
      {rule("params = { passwd = \"*\" }\nerror = 400", "API.Auth/6/login"), 0},
      {rule("data = '{\"sid\":\"{{session.id}}\",\"synotoken\":\"{{session.token}}\"}'"), 0},
  };
  const TempDir folder;
  for (const auto& [text, status] : rows) {
    CAPTURE(text);
    write_file(folder / "o.toml", text);
    CHECK(run_tapedeck({"scan", folder / "o.toml"}).status == status);
  }
}

TEST_CASE("overlays: the end of a run lists used and unused overlays") {
  const TempDir folder;
  write_file(folder / "o.toml",
             rule("name = \"used\"\ndata = 1") + rule("name = \"idle\"\ndata = 1", "Core.Other/1/get"));
  const std::string report = folder / "r.json";
  const Ran ran = run_tapedeck({"exec", "--overlay", folder / "o.toml", "--report", report, "--", "sh", "-c",
                                "curl -s \"$TAPEDECK_URL" + network + "\""});
  CHECK(ran.status == 0);
  CHECK(ran.out == R"({"data":1,"success":true})");
  CHECK(ran.err.find("overlays 1,") != std::string::npos);
  CHECK(ran.err.find("unused overlays: 1") != std::string::npos);
  CHECK(ran.err.find("idle (") != std::string::npos);
  const json said = json::parse(read_file(report));
  CHECK(said["counters"]["overlay"] == 1);
  REQUIRE(said["unused_overlays"].size() == 1);
  const auto strict = [&](const std::string& list) {
    return run_tapedeck({"exec", "--strict=" + list, "--overlay", folder / "o.toml", "--", "sh", "-c",
                         "curl -s \"$TAPEDECK_URL" + network + "\""})
        .status;
  };
  CHECK(strict("overlay-unused") == 3);
  const std::string junit = folder / "r.xml";
  CHECK(
      run_tapedeck({"exec", "--strict=overlay-unused", "--report", junit, "--overlay", folder / "o.toml", "--", "true"})
          .status == 3);
  CHECK(read_file(junit).find("classname=\"tapedeck.overlay\" name=\"idle (") != std::string::npos);
  CHECK(read_file(junit).find("the overlay was never used") != std::string::npos);
  CHECK(strict("miss,fallback") == 0);
}

TEST_CASE("overlays: check counts a recorded login for a rule that names an account") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette";
  record(folder.path().string(), device, cassette, [](const std::string& base) {
    (void)fetch(base +
                "/webapi/entry.cgi?api=SYNO.API.Auth&version=6&method=login&account=alice&passwd=example-pass-1");
    (void)fetch(base + network);
  });
  const auto matches = [&](const std::string& call, const std::string& params) {
    write_file(folder / "o.toml", rule("params = { " + params + " }\nerror = 1", call));
    const Ran checked = run_tapedeck({"overlay", folder / "o.toml", cassette});
    INFO(checked.out << checked.err);
    CHECK(checked.status == 0);
    return checked.out.find("matches no recorded call") == std::string::npos;
  };
  CHECK(matches("API.Auth/*/login", "account = \"alice\""));
  CHECK(matches("API.Auth/*/login", "account = \"bob\", passwd = \"other\""));
  CHECK_FALSE(matches("API.Auth/*/login", "account = \"alice\", format = \"cookie\""));
  CHECK_FALSE(matches("Core.Network/*/get", "account = \"alice\""));
}

TEST_CASE("overlays: the command lists the covered calls, show prints an overlay, and explain names it") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette";
  record(folder.path().string(), device, cassette, [](const std::string& base) {
    (void)fetch(base + "/webapi/query.cgi?api=SYNO.API.Info&version=1&method=query&query=all");
    (void)fetch(base + network + "&x=1");
  });
  const json listed = json::parse(run_tapedeck({"ls", "--json", cassette}).out);
  REQUIRE(listed.size() == 2);
  const json& recorded =
      listed[0]["key"].get<std::string>().find("Network") != std::string::npos ? listed[0] : listed[1];

  {
    const Ran made = run_tapedeck({"show", cassette, recorded["id"].get<std::string>(), "--as", "overlay"});
    CHECK(made.status == 0);
    write_file(folder / "o.toml", made.out);
    const Ran checked = run_tapedeck({"overlay", folder / "o.toml", cassette});
    INFO(made.out << checked.out << checked.err);
    CHECK(checked.status == 0);
    CHECK(checked.out.find("matches SVC.Core.Network/1/get?x=1 (1)") != std::string::npos);
  }
  write_file(folder / "o.toml",
             rule("name = \"wrong\"\ndata = { dns_manual = 1 }") + rule("error = 1", "Core.None/1/get"));
  const Ran checked = run_tapedeck({"overlay", folder / "o.toml", cassette});
  CHECK(checked.out.find("spec: ") != std::string::npos);
  CHECK(checked.out.find("matches no recorded call") != std::string::npos);
  const Ran explained = run_tapedeck({"explain", "--overlay", folder / "o.toml", cassette, network});
  CHECK(explained.out.find("overlay  wrong (") != std::string::npos);
  CHECK(explained.out.find("X-Tapedeck-Overlay: wrong") != std::string::npos);

  // A patch for a path that no recorded response has would be a miss.
  const auto patched = [](const std::string& op, const std::string& path) {
    return rule("patch = [ { op = \"" + op + "\", path = \"" + path + "\", value = \"x\" } ]");
  };
  const std::tuple<std::string, int, std::string> patches[] = {
      {patched("replace", "/error/code"), 0, "no errors"},
      {patched("replace", "/error/cod"), 1, "error: the patch does not fit 1 of 1 responses: /error/cod"},
      {patched("add", "/error/none/x"), 1, "1 error\n"},
      {patched("test", "/error/code"), 0, "no errors"},
      {rule("answers = [ { patch = [ { op = \"remove\", path = \"/none\" } ] }, { error = 1 } ]"), 1, "/none"},
  };
  for (const auto& [toml, status, says] : patches) {
    write_file(folder / "o.toml", toml);
    const Ran ran = run_tapedeck({"overlay", folder / "o.toml", cassette});
    INFO(toml << ran.out << ran.err);
    CHECK(ran.status == status);
    CHECK(ran.out.find(says) != std::string::npos);
    CHECK(run_tapedeck({"overlay", folder / "o.toml"}).status == 0);
  }

  write_file(folder / "o.toml", rule("scope = \"%zz\"\nerror = 1"));
  const Ran misspelt = run_tapedeck({"overlay", folder / "o.toml"});
  CHECK(misspelt.status == 2);
  CHECK(misspelt.err.find("`scope` must be a scope's name, percent-encoded") != std::string::npos);

  CHECK(run_tapedeck({"show", cassette, "ffffffff", "--as", "overlay"}).status == 2);
  CHECK(run_tapedeck({"overlay"}).status == 2);
}

}  // namespace
TEST_CASE("hold: a response waits, is shown, and is sent, changed, or broken") {
  const TempDir folder;
  write_file(folder / "o.toml", "[[overlay]]\nname = \"wait\"\ncall = \"Core.Network/*/get\"\nhold = true\n");
  Server server(folder.path().string(), {"replay", "--control", "127.0.0.1:0", "--overlay", folder / "o.toml"});
  const std::string ready = read_file(server.ready_file());
  const auto value = [&ready](const std::string& name) {
    const std::size_t begin = ready.find("\n" + name + "=") + name.size() + 2;
    return ready.substr(begin, ready.find('\n', begin) - begin);
  };
  const std::vector<std::string> token = {"-H", "X-Tapedeck-Token: " + value("token")};
  const auto held = [&] {
    return nlohmann::json::parse(curl({token[0], token[1], value("control") + "/held"}).body)["held"];
  };
  const auto release = [&](const std::string& body) {
    return curl(
        {token[0], token[1], "-H", "Content-Type: application/json", "-d", body, value("control") + "/held/release"});
  };
  const std::string url = server.url() + "/webapi/entry.cgi?api=SYNO.Core.Network&version=1&method=get";
  struct Row {
    std::string release;
    int status;
    std::string part;
  };
  const std::vector<Row> rows = {
      {R"({"all":true})", 200, "\"success\":true"},
      {R"({"overlay":"wait","error":105})", 200, R"({"error":{"code":105},"success":false})"},
      {R"({"all":true,"status":503,"body":"{\"a\":1}"})", 503, R"({"a":1})"},
      {R"({"all":true,"status":500})", 500, "\"success\":true"},
      {R"({"all":true,"fault":"close"})", 0, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.release);
    auto asked = std::async(std::launch::async, [&] { return curl({url}); });
    nlohmann::json waiting;
    for (int looks = 0; looks < 500 && waiting.empty(); ++looks) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      waiting = held();
    }
    REQUIRE(waiting.size() == 1);
    CHECK(waiting[0]["overlay"] == "wait");
    CHECK(release(R"({"request":999})").body == R"({"released":[]})");
    CHECK(release(R"({"all":true,"body":"{"})").status == 400);
    CHECK(release(row.release).status == 200);
    const Reply reply = asked.get();
    CHECK(reply.status == row.status);
    CHECK(says(reply.body, row.part));
    CHECK(held().empty());
  }
  // A client that gives up is forgotten.
  CHECK(curl({"--max-time", "1", url}).status == 0);
  for (int looks = 0; looks < 300 && !held().empty(); ++looks)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(held().empty());
  CHECK(server.stop() == 0);
}

}  // namespace tapedeck::tests::overlay_cases
