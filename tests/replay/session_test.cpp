#include <malloc.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using nlohmann::json;

int code_of(const http::Response& response) {
  const json body = json::parse(response.body);
  return body["success"].get<bool>() ? 0 : body["error"]["code"].get<int>();
}

TEST_CASE("replay: any credentials log in, and the response has the device's shape") {
  ReplayHandler handler({}, 1);
  const http::Response response = post(
      handler, "/webapi/entry.cgi",
      "api=SVC.API.Auth&version=6&method=login&account=ann&passwd=x&enable_syno_token=yes&enable_device_token=yes");
  CHECK(outcome(response) == "builtin");
  const json data = json::parse(response.body)["data"];
  CHECK(data["account"] == "ann");
  CHECK(data["is_portal_port"] == false);
  CHECK(data["sid"].get<std::string>().size() == 86);
  CHECK_FALSE(data["synotoken"].get<std::string>().empty());
  CHECK_FALSE(data["did"].get<std::string>().empty());
  CHECK(json::parse(response.body).dump() == response.body);
  const auto cookies = response.headers.all("Set-Cookie");
  REQUIRE(cookies.size() == 2);
  CHECK(cookies.front() == "id=" + data["sid"].get<std::string>() + ";path=/;HttpOnly");
}

TEST_CASE("replay: a session ID depends only on account and ordinal") {
  ReplayHandler one({}, 1);
  ReplayHandler other({}, 4);
  (void)log_in(other, "zoe");
  std::set<std::string> seen;
  for (const std::string account : {"ann", "ann", "bob", "", "ann"}) {
    const std::string id = log_in(one, account);
    CHECK(id == log_in(other, account));
    CHECK(seen.insert(id).second);
  }
}

TEST_CASE("replay: an ID kept from an earlier run does not change what a login returns") {
  ReplayHandler earlier({}, 1);
  const std::string kept = log_in(earlier, "ann");
  ReplayHandler handler({}, 1);
  CHECK(code_of(call(handler, "SVC.Core.Network/1/get?_sid=" + kept)) == 0);
  CHECK(log_in(handler, "ann") == kept);
}

TEST_CASE("replay: a logout ends the session and needs no ID") {
  ReplayHandler handler({}, 1);
  const std::string id = log_in(handler, "ann");
  const std::string read = "SVC.Core.Network/1/get?_sid=" + id;
  CHECK(code_of(call(handler, read)) == 0);
  CHECK(code_of(call(handler, "SVC.API.Auth/6/logout")) == 0);
  CHECK(code_of(call(handler, read)) == 0);
  CHECK(code_of(call(handler, "SVC.API.Auth/6/logout?_sid=" + id)) == 0);
  CHECK(code_of(call(handler, read)) == 119);
  CHECK(code_of(call(handler, "SVC.Core.Network/1/get", {{"Cookie", "other=1; id=" + id}})) == 119);
  CHECK(code_of(post(handler, testing::target_of("SVC.Core.Network/1/get"), "_sid=" + id)) == 119);
  CHECK(code_of(call(handler, "SVC.API.Info/1/query?_sid=" + id)) == 0);
}

TEST_CASE("replay: --auth decides how missing, unknown, and ended IDs are handled") {
  struct Row {
    Auth auth;
    std::string id;  ///< "own": created by a login; "ended": logged out
    int expected;
  };
  const std::vector<Row> rows = {
      {Auth::lenient, "", 0},    {Auth::lenient, "unknown-to-all", 0},
      {Auth::lenient, "own", 0}, {Auth::lenient, "ended", 119},
      {Auth::strict, "", 119},   {Auth::strict, "unknown-to-all", 119},
      {Auth::strict, "own", 0},  {Auth::strict, "ended", 119},
  };
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.auth), row.id);
    ReplayOptions options;
    options.auth = row.auth;
    ReplayHandler handler(options, 1);
    std::string id = row.id;
    if (id == "own" || id == "ended") id = log_in(handler, "ann");
    if (row.id == "ended") (void)call(handler, "SVC.API.Auth/6/logout?_sid=" + id);
    CHECK(code_of(call(handler, "SVC.Core.Network/1/get" + (id.empty() ? "" : "?_sid=" + id))) == row.expected);
    CHECK(code_of(call(handler, "SVC.API.Info/1/query")) == 0);
    CHECK(code_of(call(handler, "SVC.API.Auth/6/logout")) == 0);
    // Devices check whether the call exists before they check the session.
    CHECK(code_of(get(handler, "/webapi/entry.cgi?api=SVC.Core.Network&_sid=" + id)) == 101);
  }
}

TEST_CASE("replay: at most 10000 sessions are kept, and the least recently used are dropped") {
  ReplayOptions options;
  options.auth = Auth::strict;
  ReplayHandler handler(options, 1);
  const std::string first = log_in(handler, "first");
  const std::string idle = log_in(handler, "idle");
  for (int i = 0; i < 10'500; ++i) {
    (void)log_in(handler, "many");
    if (i % 1000 == 0) CHECK(code_of(call(handler, "SVC.Core.Network/1/get?_sid=" + first)) == 0);
  }
  CHECK(code_of(call(handler, "SVC.Core.Network/1/get?_sid=" + first)) == 0);
  CHECK(code_of(call(handler, "SVC.Core.Network/1/get?_sid=" + idle)) == 119);
}

TEST_CASE("replay: IDs and accounts of clients are stored once and limited in length") {
  constexpr int clients = 20;
  constexpr std::size_t length = 2'000'000;
  ReplayHandler handler({}, 1);
  const auto in_use = [] {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
  };
  const auto ask = [&](int client) {
    const std::string text = std::to_string(client) + std::string(length, 'x');
    const auto form = [&](const std::string& rest) { return post(handler, "/webapi/entry.cgi", rest).status; };
    CHECK(form("api=SVC.Core.Network&version=1&method=get&_sid=" + text) == 200);
    CHECK(form("api=SVC.API.Auth&version=6&method=login&passwd=made-up&account=" + text) == 200);
    std::string names = "api=SVC.Core.Share&version=1&method=list";
    for (int i = 0; i < 2'000; ++i)
      names += "&" + std::to_string(client) + "-" + std::to_string(i) + "=" + text.substr(0, 50);
    CHECK(form(names) == 200);
  };
  ask(0);
  const std::int64_t before = in_use();
  for (int client = 1; client < clients; ++client) ask(client);
  CHECK(in_use() - before < std::int64_t{length});
  // Each ID is a separate session, however long.
  CHECK(handler.scopes().all().size() == 2 * clients);
}

TEST_CASE("replay: the ID of another session is recognized at the first request and at the thousandth") {
  const std::string one = "0123456789abcdefSessionOne", two = "fedcba9876543210SessionTwo";
  const auto cassette = testing::cassette_with({
      testing::login("ann", one),
      testing::login("bob", two),
      testing::record("SVC.Core.CurrentConnection/1/kick?who=" + two, testing::ok, one),
      testing::record("SVC.Core.Share/1/list", testing::ok, two),
  });
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  ReplayHandler handler(options, 1);
  // The ID also matches in other spellings within a request.
  for (const std::string other : {"an-id-that-a-client-sends", "an%2Fid+that+a%2Bclient%3Dsends"}) {
    CAPTURE(other);
    (void)call(handler, "SVC.Core.Share/1/list?_sid=" + other);
    int exact = 0;
    for (int i = 0; i < 1'000; ++i) {
      const http::Response response = call(handler, "SVC.Core.CurrentConnection/1/kick?who=" + other + "&_sid=me");
      exact += outcome(response) == "recorded" && !response.headers.contains("X-Tapedeck-Match") ? 1 : 0;
    }
    CHECK(exact == 1'000);
  }
}

TEST_CASE("replay: API.Info without a recording lists the catalog under the requested label") {
  ReplayHandler handler({}, 1);
  const json all = json::parse(call(handler, "SVC.API.Info/1/query").body)["data"];
  CHECK(all.contains("SVC.Core.Network"));
  CHECK(all["SVC.Core.Network"]["maxVersion"] == 2);
  CHECK(all["SVC.Core.Network"]["minVersion"] == 1);
  CHECK(all["SVC.Core.Network"]["path"] == "entry.cgi");
  CHECK(all["SVC.Core.Network"]["requestFormat"] == "JSON");
  CHECK(all.contains("SVC.API.Auth"));
  CHECK(json::parse(call(handler, "SVC.API.Info/1/query?query=all").body)["data"] == all);

  struct Row {
    std::string query;
    std::vector<std::string> expected;
  };
  const std::vector<Row> rows = {
      {"SVC.API.Auth", {"SVC.API.Auth"}},
      {"SYNO.API.Auth,SYNO.Core.Network", {"SYNO.API.Auth", "SYNO.Core.Network"}},
      {"[%22SVC.API.Auth%22]", {"SVC.API.Auth"}},
      {"SVC.API.",
       {"SVC.API.Auth", "SVC.API.Auth.Type", "SVC.API.Auth.UIConfig", "SVC.API.Encryption", "SVC.API.Info"}},
      {"SVC.No.Such", {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.query);
    const http::Response response =
        get(handler, "/webapi/query.cgi?api=SVC.API.Info&version=1&method=query&query=" + row.query);
    CHECK(outcome(response) == "builtin");
    std::vector<std::string> names;
    const json body = json::parse(response.body);
    for (const auto& [name, entry] : body["data"].items()) names.push_back(name);
    CHECK(names == row.expected);
  }
}

TEST_CASE("replay: a compound is composed of the responses to its parts") {
  ReplayHandler handler({}, 1);
  const std::string network = R"({"api":"SVC.Core.Network","method":"get","version":1})";
  const std::string missing = R"({"api":"SVC.No.Such","method":"get","version":1})";
  const auto compound = [&](const std::string& list, const std::string& rest = "") {
    return post(handler, "/webapi/entry.cgi",
                "api=SVC.Entry.Request&method=request&version=1&mode=sequential" + rest + "&compound=" + list);
  };
  const http::Response good = compound("[" + network + "," + network + "]");
  CHECK(outcome(good) == "builtin");
  const std::string data = call(handler, "SVC.Core.Network/1/get").body;
  const std::string one = R"({"api":"SVC.Core.Network",)" +
                          data.substr(1, data.size() - 1 - std::string(R"(,"success":true})").size()) +
                          R"(,"method":"get","success":true,"version":1})";
  CHECK(good.body == R"({"data":{"has_fail":false,"result":[)" + one + "," + one + R"(]},"success":true})");

  const json all = json::parse(compound("[" + missing + "," + network + "]").body);
  CHECK(all["success"] == true);
  CHECK(all["data"]["has_fail"] == true);
  CHECK(all["data"]["result"].size() == 2);
  CHECK(all["data"]["result"][0]["error"]["code"] == 102);
  CHECK(json::parse(compound("[" + missing + "," + network + "]", "&stop_when_error=true").body)["data"]["result"]
            .size() == 1);
  CHECK(outcome(compound("[" + missing + "]")) == "miss");
  CHECK(code_of(compound("nonsense")) == 114);
}

TEST_CASE("replay: a refusal of replay has the body of a recorded one") {
  const std::string refusal = R"({"error":{"code":119,"errors":{"detail":"SID not found"}},"success":false})";
  const auto cassette =
      testing::cassette_with({testing::login("ann", sid_a), testing::record("SVC.X/1/get", data("x"), sid_a),
                              testing::record("SVC.Y/1/get", refusal, sid_a)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string sid = log_in(handler, "ann");
  static_cast<void>(call(handler, "SVC.API.Auth/6/logout?_sid=" + sid));
  const http::Response response = call(handler, "SVC.X/1/get?_sid=" + sid);
  CHECK(outcome(response) == "builtin");
  CHECK(response.body == refusal);
}

}  // namespace
}  // namespace tapedeck::replay
