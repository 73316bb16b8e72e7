// Tests the options of replay, and misses with hints, with recordings made by the recorder.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::replay_options_cases {

namespace {

const std::string load = "api=SYNO.Core.System.Utilization&version=1&method=get";
const std::string scan = "api=SYNO.Core.SecurityScan.Status&version=1&method=system_get";
const std::string shares = "api=SYNO.Core.Share&version=1&method=list&plain=1&limit=10&note=a";

/// Three polls, one list, and an API.Info in one session.
struct Recording {
  Recording() : cassette(folder / "options.cassette") {
    const std::vector<Step> steps = {
        {"info", {"{base}/webapi/query.cgi?api={label}.API.Info&version=1&method=query&query=all"}},
        login_step(),
        call("load 1", load),
        call("load 2", load),
        call("load 3", load),
        call("shares", shares)};
    record(folder.path(), device, cassette, [&](const std::string& url) { recorded = play(url, steps); });
  }
  [[nodiscard]] std::string body(const std::string& name) const {
    for (const Seen& step : recorded.steps) {
      if (step.name == name) return step.body;
    }
    throw std::runtime_error("no step " + name);
  }

  TempDir folder;
  Device device;
  std::string cassette;
  Transcript recorded;
};

Reply ask(const Server& server, const std::string& query, std::vector<std::string> more = {}) {
  more.insert(more.begin(), server.url() + "/webapi/entry.cgi?" + query);
  return curl(more);
}

std::string sid_of(const Server& server, const std::string& account) {
  return play(server.url(), {login_step()}, {account, "x"}).sid;
}

}  // namespace

TEST_CASE("replay options: --position decides which clients share positions") {
  const Recording made;
  const std::vector<std::string> loads = {made.body("load 1"), made.body("load 2"), made.body("load 3")};
  struct Row {
    std::string position;
    std::vector<std::size_t> expected;  ///< of: one, one again after a second login, two
  };
  const std::vector<Row> rows = {{"session", {0, 0, 0}}, {"account", {0, 1, 0}}, {"global", {0, 1, 2}}};
  for (const Row& row : rows) {
    CAPTURE(row.position);
    Server replay(made.folder.path(), {"replay", made.cassette, "--position", row.position});
    std::vector<std::size_t> seen;
    for (const std::string account : {"one", "one", "two"}) {
      const std::string body = ask(replay, load + "&_sid=" + sid_of(replay, account)).body;
      seen.push_back(static_cast<std::size_t>(std::find(loads.begin(), loads.end(), body) - loads.begin()));
    }
    CHECK(seen == row.expected);
  }
}

TEST_CASE("replay options: --scope is the scope of requests without one") {
  const Recording made;
  const std::vector<std::string> loads = {made.body("load 1"), made.body("load 2"), made.body("load 3")};
  Server replay(made.folder.path(), {"replay", made.cassette, "--scope", "first%20test"});
  CHECK(ask(replay, load).body == loads[0]);
  CHECK(ask(replay, load, {"-H", "X-Tapedeck-Scope: first test"}).body == loads[1]);
  CHECK(ask(replay, load, {"-H", "X-Tapedeck-Scope: another"}).body == loads[0]);
  CHECK(curl({replay.url() + "/~scope/first%20test/webapi/entry.cgi?" + load}).body == loads[2]);
  CHECK(ask(replay, load, {"-H", "X-Tapedeck-Scope: a#0"}).status == 400);
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"replay", made.cassette, "--scope", "a#0"},
                                             {"explain", made.cassette, "/", "--scope", "a#0"},
                                             {"exec", made.cassette, "--scope", "a#0", "--", "true"}}) {
    CAPTURE(line);
    const Ran refused = run_tapedeck(line);
    CHECK(refused.status == 2);
    CHECK(refused.err.find("invalid value `a#0` for --scope: must be percent-encoded UTF-8") != std::string::npos);
  }
}

TEST_CASE("replay options: --at-end miss reports the end of the sequence") {
  const Recording made;
  Server replay(made.folder.path(), {"replay", made.cassette, "--at-end", "miss", "--miss-status", "404"});
  const std::string sid = sid_of(replay, "one");
  for (int i = 0; i < 3; ++i) CHECK(ask(replay, load + "&_sid=" + sid).header("x-tapedeck-outcome") == "recorded");
  const Reply over = ask(replay, load + "&_sid=" + sid);
  CHECK(over.status == 404);
  CHECK(over.header("x-tapedeck-outcome") == "miss");
}

TEST_CASE("replay options: --ignore, --any-version, and match rules report exactly what they allow") {
  const Recording made;
  const std::string other_limit = "api=SYNO.Core.Share&version=1&method=list&plain=1&limit=20&note=a";
  const std::string other_note = "api=SYNO.Core.Share&version=1&method=list&plain=1&limit=10&note=b";
  const std::string other_version = "api=SYNO.Core.Share&version=2&method=list&plain=1&limit=10&note=a";
  // The recorded API.Info shows that there is no version 2.
  Server exact(made.folder.path(), {"replay", made.cassette});
  CHECK(ask(exact, other_version).body == R"({"error":{"code":104},"success":false})");
  write_file(made.folder / "tapedeck.toml",
             "[[replay.match]]\napi = \"Core.Share\"\nmethod = \"list\"\nignore = [\"limit\"]\n");
  struct Row {
    std::vector<std::string> options;
    std::string query, match;  ///< empty: a miss
  };
  const std::vector<Row> rows = {
      {{}, other_limit, ""},
      {{"--ignore", "limit"}, other_limit, "ignored=limit"},
      {{"--ignore", "limit"}, other_note, ""},
      {{"--ignore", "Core.Share:limit"}, other_limit, "ignored=limit"},
      {{"--ignore", "Core.Network:limit"}, other_limit, ""},
      {{"--any-version"}, other_version, "version=1"},
      {{"--config", made.folder / "tapedeck.toml"}, other_limit, "ignored=limit"},
      {{"--config", made.folder / "tapedeck.toml"}, other_note, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.options, row.query);
    std::vector<std::string> arguments = {"replay", made.cassette};
    arguments.insert(arguments.end(), row.options.begin(), row.options.end());
    Server replay(made.folder.path(), arguments);
    const Reply reply = ask(replay, row.query + "&_sid=" + sid_of(replay, "one"));
    CHECK(reply.header("x-tapedeck-outcome") == (row.match.empty() ? "miss" : "recorded"));
    CHECK(reply.header("x-tapedeck-match") == row.match);
    if (!row.match.empty()) CHECK(reply.body == made.body("shares"));
  }
}

TEST_CASE("replay options: the hint of a miss works") {
  const Recording made;
  const std::string query = "api=SYNO.Core.Share&version=1&method=list&plain=1&limit=20&note=a";
  const Ran explained = run_tapedeck({"explain", made.cassette, "/webapi/entry.cgi?" + query});
  CHECK(explained.status == 3);
  CHECK(explained.out.find("SYNO.Core.Share/1/list?limit=20&note=a&plain=1") != std::string::npos);

  Server replay(made.folder.path(), {"replay", made.cassette});
  const auto answer = nlohmann::json::parse(ask(replay, query + "&_sid=" + sid_of(replay, "one")).body);
  const auto& report = answer.at("error").at("errors").at("tapedeck");
  CHECK(report.at("nearest").size() == 1);
  const std::string hint = report.at("hint").get<std::string>();
  const std::size_t option = hint.find("--ignore limit");
  CAPTURE(hint);
  REQUIRE(option != std::string::npos);
  const Ran followed = run_tapedeck({"explain", made.cassette, "/webapi/entry.cgi?" + query, "--ignore", "limit"});
  CHECK(followed.status == 0);
  CHECK(followed.out.find("X-Tapedeck-Match: ignored=limit") != std::string::npos);
}

TEST_CASE("replay options: API.Info is filtered from the recorded response with its entries byte for byte") {
  const Recording made;
  Server replay(made.folder.path(), {"replay", made.cassette});
  const auto info = [&](const std::string& query) {
    const Reply reply = curl({replay.url() + "/webapi/query.cgi?api=SYNO.API.Info&version=1&method=query" + query});
    CHECK(reply.header("x-tapedeck-outcome") != "miss");
    return reply.body;
  };
  const std::string all = made.body("info");
  CHECK(info("&query=all") == all);
  for (const std::string name : {"SYNO.Core.Network", "SYNO.API.Auth"}) {
    const std::string one = info("&query=" + name);
    const std::size_t begin = all.find("\"" + name + "\":");
    REQUIRE(begin != std::string::npos);
    const std::string entry = all.substr(begin, all.find('}', begin) + 1 - begin);
    CHECK(one == R"({"data":{)" + entry + R"(},"success":true})");
  }
  const auto some = nlohmann::json::parse(info("&query=SYNO.API."));
  for (const auto& [name, unused] : some.at("data").items()) CHECK(name.starts_with("SYNO.API."));
  CHECK(some.at("data").size() >= 2);
}

TEST_CASE("replay options: overlapping sessions are replayed separately") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "two.cassette";
  std::string one_saw, two_saw;
  record(folder.path(), device, cassette, [&](const std::string& url) {
    const auto ask_as = [&](const std::string& sid, const std::string& query) {
      return curl({url + "/webapi/entry.cgi?" + query + "&_sid=" + sid}).body;
    };
    const std::string one = play(url, {login_step()}).sid, two = play(url, {login_step()}).sid;
    (void)ask_as(one, "api=SYNO.Core.SecurityScan.Operation&version=1&method=start&items=ALL");
    one_saw = ask_as(one, scan);
    two_saw = ask_as(two, scan);
    (void)ask_as(one, load);
  });
  REQUIRE(one_saw != two_saw);
  Server replay(folder.path(), {"replay", cassette});
  const std::string first = sid_of(replay, "x"), second = sid_of(replay, "x"), third = sid_of(replay, "x");
  CHECK(ask(replay, scan + "&_sid=" + second).body == two_saw);
  CHECK(ask(replay, scan + "&_sid=" + first).body == one_saw);
  CHECK(ask(replay, scan + "&_sid=" + third).body == one_saw);
}

TEST_CASE("replay options: several cassettes are searched in their order") {
  const Recording older;
  const TempDir folder;
  const Device device;
  const std::string newer = folder / "newer.cassette";
  Transcript recorded;
  record(folder.path(), device, newer, [&](const std::string& url) {
    recorded = play(url, {login_step(), call("load", load)});
  });
  Server replay(folder.path(), {"replay", newer, older.cassette});
  const std::string sid = sid_of(replay, "one");
  CHECK(ask(replay, load + "&_sid=" + sid).body == recorded.steps[1].body);
  CHECK(ask(replay, shares + "&_sid=" + sid).body == older.body("shares"));
}

TEST_CASE("replay options: logout without an ID succeeds, and an error in the configuration has its line") {
  const Recording made;
  Server replay(made.folder.path(), {"replay", made.cassette});
  CHECK(ask(replay, "api=SYNO.API.Auth&version=6&method=logout").body.find(R"("success":true)") != std::string::npos);
  write_file(made.folder / "bad.toml", "[[replay.match]]\napi = \"Core.Share\"\nignored = [\"limit\"]\n");
  const Ran refused = run_tapedeck({"replay", made.cassette, "--config", made.folder / "bad.toml"});
  CHECK(refused.status == 2);
  CHECK(refused.err.find("bad.toml:3") != std::string::npos);
}

TEST_CASE("replay options: an encrypted login is a login, whatever its random content") {
  const Recording made;
  Server replay(made.folder.path(), {"replay", made.cassette, "--auth", "strict"});
  const std::string login =
      "api=SYNO.API.Auth&version=6&method=login&session=files&format=sid&enable_syno_token=yes"
      "&enable_device_token=yes&client_time=1700000000&__cIpHeRtExT=";
  std::string sid;
  for (const std::string cipher : {"bWFkZSB1cA%3D%3D", "b3RoZXIgY29udGVudA%3D%3D"}) {
    const Reply reply = curl({replay.url() + "/webapi/auth.cgi", "-d", login + cipher});
    CHECK(reply.header("x-tapedeck-outcome") == "recorded");
    const auto answer = nlohmann::json::parse(reply.body);
    CHECK(answer.at("data").at("sid").get<std::string>() != sid);
    sid = answer.at("data").at("sid").get<std::string>();
    const std::string token = answer.at("data").at("synotoken").get<std::string>();
    CHECK(ask(replay, load + "&_sid=" + sid, {"-H", "X-SYNO-TOKEN: " + token}).header("x-tapedeck-outcome") ==
          "recorded");
  }
}

TEST_CASE("replay options: a part of a recorded compound is replayed to a single call") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "compound.cassette";
  Transcript recorded;
  record(folder.path(), device, cassette, [&](const std::string& url) {
    const std::string parts = R"(compound=[{"api":"{label}.Core.Network","version":1,"method":"get"},)"
                              R"({"api":"{label}.Core.User","version":1,"method":"list"}])";
    recorded = play(url, {login_step(),
                          {"compound",
                           {"{base}/webapi/entry.cgi", "--data-urlencode", parts, "-d",
                            "api={label}.Entry.Request&version=1&method=request&mode=sequential&_sid={sid}"}}});
  });
  const auto result = nlohmann::json::parse(recorded.steps[1].body).at("data").at("result");
  Server replay(folder.path(), {"replay", cassette, "--no-fallback"});
  const std::string sid = sid_of(replay, "one");
  const auto network =
      nlohmann::json::parse(ask(replay, "api=SYNO.Core.Network&version=1&method=get&_sid=" + sid).body);
  CHECK(network.at("success") == true);
  CHECK(network.at("data") == result[0].at("data"));
  const auto users = nlohmann::json::parse(ask(replay, "api=SYNO.Core.User&version=1&method=list&_sid=" + sid).body);
  CHECK(users.at("error").at("code") == result[1].at("error").at("code"));
}

}  // namespace tapedeck::tests::replay_options_cases
