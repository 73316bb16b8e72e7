// Scopes during replay (docs/testing.md, "Scopes"): how a request gets its scope, and what each scope owns.
#include "replay/sessions/scopes.h"

#include <catch2/catch.hpp>
#include <set>

#include "replay/recorded/cassette_set.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using testing::record;

constexpr std::string_view poll = "SVC.Core.Scan/1/status";
constexpr std::string_view plain_sid = "0123456789abcdefSessionOne";

testing::TestCassette polled() {
  std::vector<testing::Recorded> rows = {testing::login("ann", plain_sid)};
  for (int i = 1; i <= 5; ++i) {
    rows.push_back(record(poll, R"({"data":{"n":)" + std::to_string(i) + R"(},"success":true})", plain_sid));
  }
  return testing::cassette_with(std::move(rows));
}

std::string login_target(std::string_view account) {
  return testing::target_of("SVC.API.Auth/6/login?account=" + std::string(account) + "&passwd=made-up&format=sid");
}

http::Headers in_scope(std::string_view scope) {
  http::Headers headers;
  if (!scope.empty()) headers.add("X-Tapedeck-Scope", scope);
  return headers;
}

std::string log_in_at(ReplayHandler& handler, std::string_view scope, std::string_view account = "ann") {
  return string_in(get(handler, login_target(account), in_scope(scope)).body, "sid");
}

/// Returns the number in the poll's response, or the status if it is not a success.
int poll_at(ReplayHandler& handler, std::string_view scope, const std::string& sid, const std::string& before = {}) {
  const http::Response response = get(handler, before + testing::target_of(poll, sid), in_scope(scope));
  const std::size_t at = response.body.find("\"n\":");
  return at == std::string::npos ? response.status : response.body[at + 4] - '0';
}

}  // namespace

TEST_CASE("scopes: each scope and each run has its own sessions and positions") {
  const auto cassette = polled();
  ReplayHandler handler(playing(cassette), 1);
  const std::vector<std::string> scopes = {"", "one", "two", "one#2", "tests/a.py::test%20b"};
  std::set<std::string> ids;
  for (const std::string& scope : scopes) {
    CAPTURE(scope);
    const std::string sid = log_in_at(handler, scope);
    ids.insert(sid);
    CHECK(poll_at(handler, scope, sid) == 1);
    CHECK(poll_at(handler, scope, sid) == 2);
  }
  CHECK(ids.size() == scopes.size());
  // The positions of a scope belong to its run, whoever sends the request.
  CHECK(poll_at(handler, "one", log_in_at(handler, "one", "bob")) == 3);
  CHECK(poll_at(handler, "one#1", "whoever") == 4);
}

TEST_CASE("scopes: created IDs depend only on scope, run, account, and ordinal") {
  const auto cassette = polled();
  std::vector<std::string> first, second;
  for (auto* const ids : {&first, &second}) {
    ReplayHandler handler(playing(cassette), 1);
    if (ids == &second) (void)log_in_at(handler, "elsewhere");
    for (const std::string scope : {"a", "a#2", "a%232", "b"}) ids->push_back(log_in_at(handler, scope));
  }
  CHECK(first == second);
  CHECK(std::set(first.begin(), first.end()).size() == 4);
}

TEST_CASE("scopes: the header overrides the path, the current scope, and the ID's scope, in this order") {
  const auto cassette = polled();
  ReplayHandler handler(playing(cassette), 1);
  const auto next = [&](const std::string& header, const std::string& before, const std::string& sid) {
    return poll_at(handler, header, sid, before);
  };
  const std::string sid = log_in_at(handler, "fixture");
  CHECK(next("", "", sid) == 1);  // the ID's scope
  CHECK(next("", "", sid) == 2);
  CHECK(next("fixture", "", sid) == 3);
  CHECK(next("", "/~scope/path", sid) == 1);
  CHECK(next("header", "/~scope/path", sid) == 1);
  CHECK(next("", "/~scope/path", sid) == 2);
  CHECK(next("", "/~scope/path;2", sid) == 1);
  CHECK(next("path#2", "", sid) == 2);
  CHECK(next("", "", sid) == 4);
}

TEST_CASE("scopes: --scope is the scope of requests that name none") {
  const auto cassette = polled();
  ReplayOptions options = playing(cassette);
  options.scope = api::ScopeName{"suite", 1};
  ReplayHandler handler(options, 1);
  CHECK(poll_at(handler, "", "x") == 1);
  CHECK(poll_at(handler, "suite", "x") == 2);
  CHECK(handler.scopes().names() == std::vector<std::string>{"suite"});
}

TEST_CASE("scopes: an invalid name is refused with 400") {
  const auto cassette = polled();
  ReplayHandler handler(playing(cassette), 1);
  for (const std::string bad : {"a#0", "a%", "a%0A", "a%FF"}) {
    CAPTURE(bad);
    CHECK(get(handler, testing::target_of(poll), in_scope(bad)).status == 400);
  }
  CHECK(get(handler, "/~scope/a;x" + testing::target_of(poll)).status == 400);
  CHECK(handler.scopes().names().empty());
}

TEST_CASE("scopes: an ID created outside is valid in the scope, with the same values") {
  const auto cassette = polled();
  for (const Auth auth : {Auth::lenient, Auth::strict}) {
    ReplayOptions options = playing(cassette);
    options.auth = auth;
    ReplayHandler handler(options, 1);
    const std::string sid = log_in_at(handler, "");
    CHECK(poll_at(handler, "", sid) == 1);
    CHECK(poll_at(handler, "one", sid) == 1);
    CHECK(poll_at(handler, "two", sid) == 1);
    CHECK(poll_at(handler, "one", sid) == 2);
    CHECK(poll_at(handler, "", sid) == 2);
    // A logout ends the session only in its own scope.
    (void)get(handler, testing::target_of("SVC.API.Auth/6/logout", sid), in_scope("one"));
    CHECK(poll_at(handler, "one", sid) == 200);
    CHECK(poll_at(handler, "", sid) == 3);
  }
}

TEST_CASE("scopes: an ID of one scope is unknown in another") {
  const auto cassette = polled();
  ReplayOptions options = playing(cassette);
  options.auth = Auth::strict;
  ReplayHandler handler(options, 1);
  const std::string sid = log_in_at(handler, "one");
  CHECK(poll_at(handler, "one", sid) == 1);
  CHECK(poll_at(handler, "two", sid) == 200);
  CHECK(poll_at(handler, "one#2", sid) == 200);
}

TEST_CASE("scopes: runs are numbered consecutively") {
  ReplayHandler handler({}, 1);
  Scopes& scopes = handler.scopes();
  CHECK(scopes.next_run("a").text() == "a");
  CHECK(scopes.next_run("a").text() == "a#2");
  (void)get(handler, "/~scope/a;7/x");
  CHECK(scopes.next_run("a").text() == "a#8");
  CHECK(scopes.next_run("b").text() == "b");
}

TEST_CASE("scopes: the least recently used runs are dropped") {
  Scopes scopes;
  const auto kept = scopes.run({"kept", 1});
  const auto idle = scopes.run({"idle", 1});
  for (std::uint32_t run = 1; run <= Scopes::max_runs; ++run) {
    (void)scopes.run({"many", run});
    if (run % 50 == 0) CHECK(scopes.run({"kept", 1}) == kept);
  }
  CHECK(scopes.names().size() <= Scopes::max_runs);
  CHECK(scopes.run({"kept", 1}) == kept);
  CHECK(scopes.run({"idle", 1}) != idle);
}

TEST_CASE("scopes: redirects and cookies stay below the scope's path") {
  const auto cassette = testing::cassette_with({
      testing::record_target("GET", "/old", "moved").with_status(302, "Found").with_header("Location", "/new?a=1"),
      testing::record_target("GET", "/own", "")
          .with_status(302, "Found")
          .with_header("Location", "http://127.0.0.1:8080/new"),
      testing::record_target("GET", "/away", "")
          .with_status(302, "Found")
          .with_header("Location", "https://nas.example/new"),
      testing::record_target("GET", "/wait", "").with_header("Refresh", "5; URL='/new'"),
      testing::record_target("GET", "/cookies", "{}")
          .with_header("Set-Cookie", "a=1; Path=/; HttpOnly")
          .with_header("Set-Cookie", "b=/path; path=/webman")
          .with_header("Set-Cookie", "c=1")
          .with_header("Set-Cookie", "__Host-d=1; Path=/"),
  });
  ReplayHandler handler(playing(cassette), 1);
  struct Row {
    std::string target, name;
    std::vector<std::string> values;
  };
  const std::vector<Row> rows = {
      {"/~scope/a%20b/old", "Location", {"/~scope/a%20b/new?a=1"}},
      {"/old", "Location", {"/new?a=1"}},
      {"/~scope/a/own", "Location", {"http://127.0.0.1:8080/~scope/a/new"}},
      {"/~scope/a/away", "Location", {"https://nas.example/new"}},
      {"/~scope/a/wait", "Refresh", {"5; URL='/~scope/a/new'"}},
      {"/~scope/a/cookies",
       "Set-Cookie",
       {"a=1; Path=/~scope/a/; HttpOnly", "b=/path; path=/~scope/a/webman", "c=1", "__Host-d=1; Path=/"}},
      {"/~scope/a;2/cookies", "Set-Cookie", {"a=1; Path=/; HttpOnly", "b=/path; path=/", "c=1", "__Host-d=1; Path=/"}},
  };
  http::Headers host;
  host.add("Host", "127.0.0.1:8080");
  for (const Row& row : rows) {
    CAPTURE(row.target);
    const http::Response response = get(handler, row.target, host);
    std::vector<std::string> values;
    for (const std::string_view value : response.headers.all(row.name)) values.emplace_back(value);
    CHECK(values == row.values);
  }
}

}  // namespace tapedeck::replay
