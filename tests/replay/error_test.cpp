#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "api/catalog.h"
#include "api/envelope.h"
#include "base/digest.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using nlohmann::json;

TEST_CASE("replay: without a cassette, errors follow the device's order of checks") {
  ReplayHandler handler({}, 1);
  struct Row {
    std::string query;
    int code;
    std::string outcome;
  };
  const std::vector<Row> rows = {
      {"", 101, "builtin"},
      {"version=1&method=get", 101, "builtin"},
      {"api=SVC.Core.Network&method=get", 101, "builtin"},
      {"api=SVC.Core.Network&version=1", 101, "builtin"},
      {"api=SVC.No.Such&version=99&method=nothing", 102, "miss"},
      {"api=SVC.Core.Network&version=99&method=nothing", 104, "miss"},
      {"api=SVC.Core.Network&version=99&method=get", 104, "miss"},
      {"api=SVC.Core.Network&version=one&method=get", 104, "miss"},
      {"api=SVC.Core.Network&version=1&method=nothing", 103, "miss"},
      {"api=SVC.Core.Share&version=1&method=list", 100, "miss"},
      {"api=SYNO.Core.Share&version=1&method=LIST", 100, "miss"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.query);
    const http::Response response = get(handler, "/webapi/entry.cgi?" + row.query);
    CHECK(response.status == 200);
    CHECK(response.headers.first("Content-Type") == api::json_content_type);
    CHECK(outcome(response) == row.outcome);
    const json body = json::parse(response.body);
    CHECK(body["success"] == false);
    CHECK(body["error"]["code"] == row.code);
    CHECK(body["error"].contains("errors") == (row.outcome == "miss"));
    CHECK(response.headers.contains("X-Tapedeck-Miss") == (row.outcome == "miss"));
  }
}

TEST_CASE("replay: a version that no firmware has gets error 104 for any API") {
  ReplayHandler handler({}, 1);
  std::set<std::string> apis, known;
  for (const api::CatalogOperation& operation : api::catalog()) {
    apis.emplace(operation.api);
    if (operation.versions) known.emplace(operation.api);
  }
  CHECK(known.size() > 100);
  for (const std::string& api : apis) {
    CAPTURE(api);
    const json body = json::parse(call(handler, "SYNO." + api + "/999/get").body);
    CHECK((body["error"]["code"] == 104) == known.contains(api));
  }
}

TEST_CASE("replay: OPTIONS * gets the recorded response or one for the whole server") {
  http::Request request;
  request.method = "OPTIONS";
  request.target = "*";
  ReplayHandler alone({}, 1);
  const http::Response answer = ask(alone, request);
  CHECK(answer.status == 204);
  CHECK(answer.headers.first("Allow") == "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS");
  CHECK(outcome(answer) == "builtin");
  const auto cassette = testing::cassette_with({testing::record_target("OPTIONS", "*", "recorded options")});
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  ReplayHandler recorded(options, 1);
  CHECK(ask(recorded, request).body == "recorded options");
}

TEST_CASE("replay: a request that is not an API call misses with HTTP 404 and an explanation") {
  ReplayHandler handler({}, 1);
  const http::Response response = get(handler, "/scripts/boot.js?v=1");
  CHECK(response.status == 404);
  CHECK(outcome(response) == "miss");
  const json miss = json::parse(response.body)["error"]["errors"]["tapedeck"];
  CHECK_FALSE(miss["reason"].get<std::string>().empty());
  CHECK(miss["nearest"].empty());
}

TEST_CASE("replay: a miss of a path names the path, without names that could be secrets") {
  std::vector<std::string> lines;
  ReplayOptions options;
  options.on_notice = [&lines](const Notice& notice) { lines.push_back(notice.text); };
  ReplayHandler handler(options, 1);
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"/pictures/one.png", "GET /pictures/one.png"},
      {"/pictures/two.png?v=Made-Up-Pa55word", "GET /pictures/two.png"},
      {"/assets/index-BxY12abcQ9.js", "GET /assets/index-BxY12abcQ9.js"},
      {"/sharing/Qz8rT4vLm2", "GET /sharing/…"},
      {"/sharing/Qz8rT4vLm2/download", "GET /sharing/…/download"},
      {"/users/list", "GET /users/list"},
  };
  for (const auto& [target, key] : rows) {
    CAPTURE(target);
    const json miss = json::parse(get(handler, target).body)["error"]["errors"]["tapedeck"];
    CHECK(miss["asked"] == key);
    CHECK(lines.back().find("miss: " + key + ": ") == 0);
  }
  CHECK(lines.size() == rows.size());
}

TEST_CASE("replay: files that browsers look for by themselves are no misses") {
  const auto cassette = testing::cassette_with({testing::record_target("GET", "/favicon.ico", "recorded icon")});
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  ReplayHandler alone({}, 1), recorded(options, 1);
  for (const std::string target :
       {"/favicon.ico", "/favicon.ico?v=3", "/robots.txt", "/.well-known/appspecific/com.chrome.devtools.json",
        "/apple-touch-icon.png", "/apple-touch-icon-120x120-precomposed.png", "/assets/app-9f3.js.map"}) {
    CAPTURE(target);
    const http::Response response = get(alone, target);
    CHECK(response.status == 404);
    CHECK(outcome(response) == "builtin");
  }
  CHECK(get(recorded, "/favicon.ico").body == "recorded icon");
  for (const std::string target :
       {"/webapi/favicon.map", "/photo/webapi/app.map", "/pictures/icon.png", "/.well-known"}) {
    CAPTURE(target);
    CHECK(outcome(get(alone, target)) == "miss");
  }
}

TEST_CASE("replay: --miss-status sets the HTTP status of misses of API calls") {
  ReplayOptions options;
  options.miss_status = 501;
  ReplayHandler handler(options, 1);
  CHECK(call(handler, "SVC.Core.Share/1/list").status == 501);
  CHECK(call(handler, "SVC.Core.Network/1/get").status == 200);
}

TEST_CASE("replay: a miss contains no value that the client sent") {
  std::vector<std::string> lines;
  ReplayOptions options;
  options.on_notice = [&lines](const Notice& notice) { lines.push_back(notice.text); };
  ReplayHandler handler(options, 1);
  const std::string secret = "Made-Up-Pa55word";
  const std::string text = "SVC.Core.SNMP/1/set?passwd=" + secret + "&rocommunity=" + secret + "&_sid=" + secret;
  const http::Response response = call(handler, text, {{"Cookie", "id=" + secret}});
  CHECK(outcome(response) == "miss");
  CHECK((response.headers.to_text() + response.body).find(secret) == std::string::npos);
  CHECK(response.body.find("rocommunity") != std::string::npos);
  REQUIRE(lines.size() == 1);
  CHECK(lines.front().find(secret) == std::string::npos);
}

TEST_CASE("replay: damage found while serving ends the response and is reported") {
  std::vector<testing::Recorded> rows;
  for (int i = 0; i < 300; ++i) {
    rows.push_back(testing::record("SVC.Core.Share/1/list?limit=" + std::to_string(i),
                                   R"({"data":")" + base::to_hex(base::random_bytes(20000)) + R"(","success":true})"));
  }
  const auto cassette = testing::cassette_with(std::move(rows));
  std::vector<std::string> lines;
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  options.on_failure = [&lines](const std::string& line) { lines.push_back(line); };
  ReplayHandler handler(options, 1);
  std::filesystem::resize_file(cassette.path(), std::filesystem::file_size(cassette.path()) / 2);
  int aborted = 0;
  for (int i = 0; i < 300; ++i) {
    const http::Response response = call(handler, "SVC.Core.Share/1/list?limit=" + std::to_string(i));
    if (response.status == 0) ++aborted;
  }
  CHECK(aborted > 0);
  REQUIRE_FALSE(lines.empty());
  CHECK(lines.front().starts_with("stopping the replay: "));
}

TEST_CASE("replay: an exception that is no damage fails only its request") {
  std::vector<std::string> lines;
  ReplayOptions options;
  options.on_failure = [&lines](const std::string& line) { lines.push_back(line); };
  options.on_notice = [](const Notice&) { throw std::runtime_error("no room for a line"); };
  ReplayHandler handler(options, 1);
  CHECK_THROWS_WITH(call(handler, "SVC.Core.Share/1/list"), "no room for a line");
  CHECK(lines.empty());
  CHECK(call(handler, "SVC.API.Auth/6/login?account=ann&passwd=made-up&format=sid").status == 200);
}

TEST_CASE("replay: counts built-in errors and reports them with their scope") {
  std::vector<std::string> lines;
  ReplayOptions options;
  options.on_notice = [&lines](const Notice& notice) {
    if (notice.kind == Notice::Kind::builtin_error) lines.push_back(notice.scope + "|" + notice.text);
  };
  ReplayHandler handler(options, 1);
  const std::string sid = log_in(handler, "ann");
  CHECK(handler.stats().builtin_errors == 0);
  (void)call(handler, "SVC.API.Auth/6/logout?_sid=" + sid);
  for (int i = 0; i < 2; ++i) (void)call(handler, "SVC.Core.Network/1/get?_sid=" + sid);
  (void)call(handler, "SVC.Core.Network/1/get?_sid=" + sid, {{"X-Tapedeck-Scope", "s#2"}});
  CHECK(handler.stats().builtin_errors == 2);
  CHECK(lines == std::vector<std::string>{"|SVC.Core.Network/1/get: 119"});
  CHECK(handler.unverified() == 0);
}

TEST_CASE("replay: reports each distinct miss once and counts all") {
  std::vector<std::string> lines;
  ReplayOptions options;
  options.on_notice = [&lines](const Notice& notice) { lines.push_back(notice.text); };
  ReplayHandler handler(options, 1);
  for (int i = 0; i < 3; ++i) (void)call(handler, "SVC.Core.Share/1/list");
  (void)call(handler, "SVC.Core.User/1/list");
  CHECK(lines.size() == 2);
  CHECK(handler.stats().misses == 4);
  CHECK(handler.stats().distinct_misses == 2);
}

}  // namespace
}  // namespace tapedeck::replay
