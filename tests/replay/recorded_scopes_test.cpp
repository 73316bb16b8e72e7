// Replay of recorded scopes (docs/testing.md, "Scopes").
#include <catch2/catch.hpp>
#include <map>

#include "api/envelope.h"
#include "journal/journal.h"

#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using testing::error;
using testing::ok;
using testing::record;
using testing::Recorded;

constexpr std::string_view key = "SVC.Core.Terminal/3/get";
constexpr std::string_view set = "SVC.Core.Terminal/3/set?enable_ssh=true";
constexpr std::string_view scope_sid_a = "0123456789abcdefSessionOne";
constexpr std::string_view scope_sid_b = "fedcba9876543210SessionTwo";

std::vector<Recorded> in_scope(std::string_view scope, std::vector<Recorded> rows) {
  for (Recorded& row : rows) row.interaction.scope = scope;
  return rows;
}

std::vector<Recorded> operator+(std::vector<Recorded> a, const std::vector<Recorded>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

http::Headers header_of(std::string_view scope) {
  http::Headers headers;
  if (!scope.empty()) headers.add("X-Tapedeck-Scope", scope);
  return headers;
}

std::string login_text(std::string_view account) {
  return "SVC.API.Auth/6/login?account=" + std::string(account) + "&passwd=made-up&format=sid";
}

http::Response login_at(ReplayHandler& handler, std::string_view scope, std::string_view account = "ann") {
  return get(handler, testing::target_of(login_text(account)), header_of(scope));
}

std::string sid_at(ReplayHandler& handler, std::string_view scope, std::string_view account = "ann") {
  return string_in(login_at(handler, scope, account).body, "sid");
}

http::Response ask_at(ReplayHandler& handler, std::string_view scope, std::string_view text, std::string_view sid) {
  return get(handler, testing::target_of(text, sid), header_of(scope));
}

/// Returns "1" for {"data":{"n":1},…}, "ok", or "E119".
std::string said(const http::Response& response) {
  if (const std::size_t at = response.body.find("\"n\":"); at != std::string::npos)
    return response.body.substr(at + 4, 1);
  const auto verdict = api::verdict(response.body);
  if (!verdict) return std::to_string(response.status);
  if (verdict->success) return response.body.find("\"sid\"") == std::string::npos ? "ok" : "in";
  return "E" + std::to_string(verdict->error_code.value_or(0));
}

std::string match(const http::Response& response) {
  return std::string(response.headers.first("X-Tapedeck-Match").value_or(""));
}

Recorded refused_login(std::string_view account, int code) { return record(login_text(account), error(code)); }

}  // namespace

TEST_CASE("recorded scopes: a scope replays its own recordings and then those without a scope, never another scope's") {
  const auto cassette = testing::cassette_with(
      std::vector<Recorded>{record(key, numbered(1), scope_sid_a),
                            record("SVC.Core.Out/1/get", numbered(2), scope_sid_a)} +
      in_scope("a", {record(key, numbered(3), scope_sid_a)}) +
      in_scope("b", {record(key, numbered(4), scope_sid_a), record("SVC.Core.OnlyB/1/get", numbered(5), scope_sid_a)}) +
      in_scope("c", {record("SVC.Core.OnlyB/1/get", numbered(6), scope_sid_a)}));
  ReplayHandler handler(playing(cassette), 1);
  const struct {
    std::string scope, text, said, match;
  } rows[] = {
      {"a", std::string(key), "3", ""},
      {"b", std::string(key), "4", ""},
      {"a#7", std::string(key), "3", ""},
      {"", std::string(key), "1", ""},
      {"a", "SVC.Core.Out/1/get", "2", "scope"},
      {"unknown", "SVC.Core.Out/1/get", "2", ""},
      {"unknown", std::string(key), "1", ""},
      {"", "SVC.Core.OnlyB/1/get", "E100", ""},
      {"b", "SVC.Core.OnlyB/1/get", "5", ""},
      {"a", "SVC.Core.OnlyB/1/get", "E100", ""},
      {"unknown", "SVC.Core.OnlyB/1/get", "E100", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.scope, row.text);
    const http::Response response = ask_at(handler, row.scope, row.text, "any-session");
    CHECK(said(response) == row.said);
    CHECK(match(response) == row.match);
  }
  CHECK(ask_at(handler, "a", "SVC.Core.OnlyB/1/get", "x").body.find("--rerecord a") != std::string::npos);
  const http::Response outside = ask_at(handler, "", "SVC.Core.OnlyB/1/get", "x");
  CHECK(outside.headers.first("X-Tapedeck-Miss") == "recorded only in scopes: b, c");
  CHECK(outside.body.find("header X-Tapedeck-Scope") != std::string::npos);
}

TEST_CASE("recorded scopes: a miss in a scope has the reason of its recordings, and outside of it names the scope") {
  const std::string broken = "SVC.Core.Share/1/get", portals = "SVC.Core.AppPortal/1/list";
  const auto with_password = [&](std::string_view password) { return portals + "?password=" + std::string(password); };
  const std::vector<Recorded> rows = {
      testing::login("ann", scope_sid_a), record(with_password("hunter2hunter"), numbered(1), scope_sid_a),
      record(with_password(scope_sid_a), numbered(2), scope_sid_a), record(broken, "{", scope_sid_a).broken("cut")};
  const auto cassette = testing::cassette_with(in_scope("t", rows));
  const auto miss = [](const http::Response& response) {
    return outcome(response) + ": " + std::string(response.headers.first("X-Tapedeck-Miss").value_or(""));
  };
  ReplayHandler handler(playing(cassette), 1);
  CHECK(miss(ask_at(handler, "t", with_password("another-one"), "any-session")) ==
        "miss: 2 recordings differ only in redacted parameters");
  CHECK(miss(ask_at(handler, "t", broken, "any-session")) ==
        "miss: 1 recordings of it exist, but all are broken or withheld");
  CHECK(miss(ask_at(handler, "", broken, "any-session")) == "miss: recorded only in scopes: t");
}

TEST_CASE("recorded scopes: only the newest complete take with the scope is replayed") {
  const testing::TestCassette cassette;
  testing::record_take(cassette.path(),
                       in_scope("a", {record(key, numbered(1), scope_sid_a), record("SVC.Core.Old/1/get", ok)}));
  testing::record_take(cassette.path(), in_scope("b", {record(key, numbered(2), scope_sid_a)}));
  testing::record_take(cassette.path(), in_scope("a", {record(key, error(105), scope_sid_a)}));
  ReplayHandler handler(playing(cassette), 1);
  CHECK(said(ask_at(handler, "a", key, "x")) == "E105");
  CHECK(outcome(ask_at(handler, "a", "SVC.Core.Old/1/get", "")) == "miss");
  CHECK(said(ask_at(handler, "b", key, "x")) == "2");
}

TEST_CASE("recorded scopes: the first cassette that has the scope is used") {
  const auto one = testing::cassette_with(in_scope("a", {record(key, numbered(1), scope_sid_a)}));
  const auto two = testing::cassette_with(in_scope("a", {record(key, numbered(2), scope_sid_a)}) +
                                          in_scope("b", {record(key, numbered(3), scope_sid_a)}));
  ReplayOptions options = playing(one);
  options.cassettes.push_back(two.path());
  ReplayHandler handler(options, 1);
  CHECK(said(ask_at(handler, "a", key, "x")) == "1");
  CHECK(said(ask_at(handler, "b", key, "x")) == "3");
}

TEST_CASE("recorded scopes: logins are replayed in order, by the order of accounts") {
  const auto cassette = testing::cassette_with(
      in_scope("wrong then right", {refused_login("ann", 400), testing::login("ann", scope_sid_a),
                                    refused_login("bob", 401), record(key, numbered(1), scope_sid_a)}));
  for (int time = 0; time < 2; ++time) {
    ReplayHandler handler(playing(cassette), 1);
    // The order counts, even if the names differ from the recorded ones.
    for (const std::string run : {"wrong then right", "wrong then right#2"}) {
      CAPTURE(run);
      CHECK(said(login_at(handler, run, "eve")) == "E400");
      const std::string sid = sid_at(handler, run, "eve");
      CHECK(sid.size() == scope_sid_a.size());
      CHECK(said(login_at(handler, run, "kim")) == "E401");
      CHECK(said(login_at(handler, run, "kim")) == "E401");
      CHECK(said(login_at(handler, run, "eve")) == "in");
      CHECK(said(ask_at(handler, run, key, sid)) == "1");
    }
    // Outside of the scope a success takes precedence over a refusal.
    CHECK(said(login_at(handler, "", "eve")) == "in");
  }
}

TEST_CASE("recorded scopes: an expiry is replayed as recorded") {
  const auto rows = std::vector<Recorded>{testing::login("ann", scope_sid_a),    record(key, numbered(1), scope_sid_a),
                                          record(key, error(119), scope_sid_a),  testing::login("ann", scope_sid_b),
                                          record(key, numbered(2), scope_sid_b), record(set, error(105), scope_sid_b),
                                          record(set, ok, scope_sid_b),          record(key, numbered(3), scope_sid_b)};
  const auto cassette = testing::cassette_with(in_scope("expiry", rows));
  for (const std::string scope : {"expiry", "expiry#2", "expiry"}) {
    CAPTURE(scope);
    ReplayHandler handler(playing(cassette), 1);
    const std::string first = sid_at(handler, scope);
    std::vector<std::string> seen;
    for (int i = 0; i < 2; ++i) seen.push_back(said(ask_at(handler, scope, key, first)));
    const std::string second = sid_at(handler, scope);
    CHECK(first != second);
    seen.push_back(said(ask_at(handler, scope, key, second)));
    for (int i = 0; i < 2; ++i) seen.push_back(said(ask_at(handler, scope, set, second)));
    seen.push_back(said(ask_at(handler, scope, key, second)));
    CHECK(seen == std::vector<std::string>{"1", "E119", "2", "E105", "ok", "3"});
    CHECK(handler.stats().out_of_order == 0);
  }
}

TEST_CASE("recorded scopes: a refused session gets the next recorded refusal, or else the built-in one") {
  const std::string other = "SVC.Core.SNMP/1/get";
  const auto cassette = testing::cassette_with(
      in_scope("logout", {testing::login("ann", scope_sid_a), record(key, numbered(1), scope_sid_a),
                          record(other, numbered(2), scope_sid_a), record("SVC.API.Auth/6/logout", ok, scope_sid_a),
                          record(key, error(106), scope_sid_a), record(key, error(107), scope_sid_a)}));
  for (const Auth auth : {Auth::lenient, Auth::strict}) {
    ReplayOptions options = playing(cassette);
    options.auth = auth;
    ReplayHandler handler(options, 1);
    const std::string sid = sid_at(handler, "logout");
    CHECK(said(ask_at(handler, "logout", key, sid)) == "1");
    CHECK(said(ask_at(handler, "logout", "SVC.API.Auth/6/logout", sid)) == "ok");
    CHECK(said(ask_at(handler, "logout", key, sid)) == "E106");
    CHECK(said(ask_at(handler, "logout", key, sid)) == "E107");
    CHECK(said(ask_at(handler, "logout", key, sid)) == "E107");
    // An ended session must not get the next response.
    CHECK(said(ask_at(handler, "logout", other, sid)) == "E119");
  }
}

TEST_CASE("recorded scopes: lanes follow the account's number and the login's index") {
  constexpr std::string_view sid_c = "aaaabbbbccccdddd-Session3";
  // Three concurrent sessions: ann's first, bob's, and ann's second.
  std::vector<Recorded> rows;
  const auto at = [&](Recorded row, int from, int to) {
    rows.push_back(std::move(row).at(testing::fixture_start_us + from, testing::fixture_start_us + to));
  };
  at(testing::login("ann", scope_sid_a), 1, 2);
  at(testing::login("bob", scope_sid_b), 3, 4);
  at(testing::login("ann", sid_c), 5, 6);
  at(record(key, numbered(1), scope_sid_a), 10, 11);
  at(record(key, numbered(2), scope_sid_b), 12, 13);
  at(record(key, numbered(3), sid_c), 14, 15);
  const auto cassette = testing::cassette_with(in_scope("s", rows));
  ReplayHandler handler(playing(cassette), 1);
  for (const std::string run : {"s", "s#2"}) {
    CAPTURE(run);
    const std::string ann = sid_at(handler, run, "one"), bob = sid_at(handler, run, "two");
    const std::string again = sid_at(handler, run, "one"), beyond = sid_at(handler, run, "one");
    CHECK(said(ask_at(handler, run, key, again)) == "3");
    CHECK(said(ask_at(handler, run, key, bob)) == "2");
    CHECK(said(ask_at(handler, run, key, ann)) == "1");
    CHECK(said(ask_at(handler, run, key, beyond)) == "3");
  }
}

TEST_CASE("recorded scopes: an ID created outside is a session of the scope") {
  std::vector<Recorded> rows = {testing::login("suite", scope_sid_a)};
  rows = rows +
         in_scope("uses the fixture", {record(key, numbered(1), scope_sid_a), record(set, ok, scope_sid_a),
                                       record(key, numbered(2), scope_sid_a)}) +
         in_scope("and a login", {record(key, numbered(3), scope_sid_a), testing::login("ann", scope_sid_b),
                                  record(key, numbered(4), scope_sid_b)});
  const auto cassette = testing::cassette_with(rows);
  for (const Auth auth : {Auth::lenient, Auth::strict}) {
    ReplayOptions options = playing(cassette);
    options.auth = auth;
    ReplayHandler handler(options, 1);
    const std::string fixture = sid_at(handler, "", "suite");
    const std::string own = sid_at(handler, "and a login");
    CHECK(said(ask_at(handler, "and a login", key, fixture)) == "3");
    CHECK(said(ask_at(handler, "and a login", key, own)) == "4");
    CHECK(said(ask_at(handler, "uses the fixture", key, fixture)) == "1");
    CHECK(said(ask_at(handler, "uses the fixture", key, fixture)) == "1");
    CHECK(said(ask_at(handler, "uses the fixture", set, fixture)) == "ok");
    CHECK(said(ask_at(handler, "uses the fixture", key, fixture)) == "2");
  }
}

TEST_CASE("recorded scopes: --position has no effect") {
  const auto cassette =
      testing::cassette_with(in_scope("s", {testing::login("ann", scope_sid_a), record(key, numbered(1), scope_sid_a),
                                            record(key, numbered(2), scope_sid_a)}));
  for (const Cursors cursors : {Cursors::automatic, Cursors::session, Cursors::account, Cursors::global}) {
    ReplayOptions options = playing(cassette);
    options.cursors = cursors;
    ReplayHandler handler(options, 1);
    for (const std::string run : {"s", "s#2"}) {
      const std::string sid = sid_at(handler, run);
      CHECK(said(ask_at(handler, run, key, sid)) == "1");
      CHECK(said(ask_at(handler, run, key, sid)) == "2");
    }
  }
}

TEST_CASE("recorded scopes: a learned secret in a name matches any text and is never shown") {
  const std::string secret = "made-Up-Secret-77";
  const auto cassette =
      testing::cassette_with(std::vector<Recorded>{record("SVC.Core.A/1/set?passwd=" + secret, ok)} +
                             in_scope("login with " + secret + " works", {record(key, numbered(1), scope_sid_a)}) +
                             in_scope("plain", {record(key, numbered(2), scope_sid_a)}));
  ReplayOptions options = playing(cassette);
  journal::Journal journal;
  options.journal = &journal;
  ReplayHandler handler(options, 1);
  CHECK(said(ask_at(handler, "login with another-one works", key, "x")) == "1");
  CHECK(said(ask_at(handler, "login with yet another works#2", key, "x")) == "1");
  CHECK(said(ask_at(handler, "plain", key, "x")) == "2");
  const auto lines = journal.entries(1, 10);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]->scope == "login with <PASSWORD> works");
  CHECK(lines[1]->scope == "login with <PASSWORD> works#2");
  CHECK(said(ask_at(handler, "login with another-one fails", key, "x")) != "1");
}

TEST_CASE("recorded scopes: responses from outside of the scope are counted and reported") {
  const auto cassette = testing::cassette_with(std::vector<Recorded>{record("SVC.Core.Out/1/get", ok, scope_sid_a)} +
                                               in_scope("s", {record(key, numbered(1), scope_sid_a)}));
  ReplayOptions options = playing(cassette);
  std::vector<Notice> notices;
  options.on_notice = [&](const Notice& notice) { notices.push_back(notice); };
  ReplayHandler handler(options, 1);
  const struct {
    std::string scope, text;
    std::uint64_t count;
  } rows[] = {{"s", std::string(key), 0},
              {"s", "SVC.Core.Out/1/get", 1},
              {"t", "SVC.Core.Out/1/get", 2},
              {"t", "SVC.Core.Out/1/get", 3},
              {"", "SVC.Core.Out/1/get", 4}};
  for (const auto& row : rows) {
    (void)ask_at(handler, row.scope, row.text, "x");
    CHECK(handler.stats().out_of_scope == row.count);
  }
  std::vector<std::string> told;
  for (const Notice& notice : notices) told.push_back(notice.scope + "|" + notice.text);
  CHECK(told == std::vector<std::string>{
                    "s|SVC.Core.Out/1/get: not in this scope; replayed from recordings without a scope",
                    "t|no cassette contains this scope", "|SVC.Core.Out/1/get: requested without a scope"});
}

TEST_CASE("recorded scopes: unused and unfinished recordings are reported with their scope") {
  const auto cassette =
      testing::cassette_with(in_scope("ran", {testing::login("ann", scope_sid_a), record(key, numbered(1), scope_sid_a),
                                              record(key, numbered(2), scope_sid_a)}) +
                             in_scope("idle", {record(key, numbered(3), scope_sid_a)}));
  ReplayOptions options = playing(cassette);
  options.counts_use = true;
  ReplayHandler handler(options, 1);
  (void)ask_at(handler, "ran", key, sid_at(handler, "ran"));
  std::map<std::string, std::string> uses;
  handler.each_use([&](const SequenceUse& use) {
    if (use.key == key) {
      uses[use.scope] =
          std::to_string(use.played) + " of " + std::to_string(use.recordings) + (use.scope_ran ? " ran" : "");
    }
    return true;
  });
  CHECK(uses == std::map<std::string, std::string>{{"ran", "1 of 2 ran"}, {"idle", "0 of 1"}});
}

}  // namespace tapedeck::replay
