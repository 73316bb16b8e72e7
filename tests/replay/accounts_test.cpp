// Accounts: each gets its own recordings (docs/matching.md, "Accounts").
#include <catch2/catch.hpp>
#include <map>

#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::login;
using testing::record;
using testing::Recorded;

constexpr std::string_view shares = "SVC.Core.Share/1/list";
constexpr std::string_view create = "SVC.Core.Share/1/create?name=x";
constexpr std::string_view own_only = "SVC.Core.Desktop/1/get";
constexpr std::string_view sid_c = "CCCC-recorded-session-three-01234567";

Recorded logout(std::string_view sid) { return record("SVC.API.Auth/6/logout", testing::ok, sid); }

std::string match(const http::Response& response) {
  return std::string(response.headers.first("X-Tapedeck-Match").value_or(""));
}

std::string data_in(const http::Response& response) { return string_in(response.body, "data"); }

http::Response call_as(ReplayHandler& handler, std::string_view text, std::string_view sid) {
  return call(handler,
              std::string(text) + (text.find('?') == std::string_view::npos ? "?" : "&") + "_sid=" + std::string(sid));
}

http::Response login_of(ReplayHandler& handler, std::string_view account) {
  return call(handler, "SVC.API.Auth/6/login?account=" + std::string(account) + "&passwd=made-up&format=sid");
}

/// A recording of two accounts: each lists shares and gets its own desktop.
std::vector<Recorded> two_accounts(bool overlap, bool logouts) {
  std::vector<Recorded> ann = {login("ann", sid_a), record(shares, data("ann's"), sid_a),
                               record(own_only, data("ann's desktop"), sid_a)};
  std::vector<Recorded> bob = {login("bob", sid_b), record(shares, data("bob's"), sid_b)};
  if (logouts) ann.push_back(logout(sid_a));
  if (logouts) bob.push_back(logout(sid_b));
  std::vector<Recorded> rows;
  for (std::size_t i = 0; i < 5; ++i) {
    if (i < ann.size()) rows.push_back(ann[i]);
    if (overlap && i < bob.size()) rows.push_back(bob[i]);
  }
  if (!overlap) rows.insert(rows.end(), bob.begin(), bob.end());
  return rows;
}

TEST_CASE("accounts: each account gets its own recordings, in every order, alone or together") {
  const bool overlap = GENERATE(false, true), logouts = GENERATE(false, true), ends_first = GENERATE(false, true);
  const auto cassette = cassette_with(two_accounts(overlap, logouts));
  const std::vector<std::string> order =
      GENERATE(std::vector<std::string>{"ann"}, std::vector<std::string>{"bob"}, std::vector<std::string>{"ann", "bob"},
               std::vector<std::string>{"bob", "ann"}, std::vector<std::string>{"bob", "ann", "bob", "bob", "ann"});
  ReplayHandler handler(playing(cassette), 1);
  std::vector<std::pair<std::string, std::string>> open;
  const auto use = [&](const std::string& name, const std::string& sid) {
    const http::Response response = call_as(handler, shares, sid);
    CHECK(outcome(response) == "recorded");
    CHECK(data_in(response) == name + "'s");
    CHECK(match(response).empty());
  };
  for (const std::string& name : order) {
    const http::Response response = login_of(handler, name);
    CHECK(match(response).empty());
    const std::string sid = string_in(response.body, "sid");
    if (!ends_first) {
      open.emplace_back(name, sid);
      continue;
    }
    use(name, sid);
    static_cast<void>(call_as(handler, "SVC.API.Auth/6/logout", sid));
  }
  for (const auto& [name, sid] : open) use(name, sid);
  for (const auto& [name, sid] : open) use(name, sid);
  CHECK(handler.stats().account_guesses == 0);
}

TEST_CASE("accounts: a call that only another account has recorded is a miss") {
  const auto cassette = cassette_with(two_accounts(false, false));
  ReplayHandler handler(playing(cassette), 1);
  const std::string ann = log_in(handler, "ann"), bob = log_in(handler, "bob");
  CHECK(data_in(call_as(handler, own_only, ann)) == "ann's desktop");
  const http::Response response = call_as(handler, own_only, bob);
  CHECK(outcome(response) == "miss");
  CHECK(response.body.find("only other accounts have recorded it") != std::string::npos);
}

TEST_CASE("accounts: unknown names are tied to the recorded accounts in the order of their logins, which is said") {
  const auto cassette = cassette_with(two_accounts(false, false));
  ReplayHandler handler(playing(cassette), 1);
  const http::Response first = login_of(handler, "carol"), second = login_of(handler, "dave");
  CHECK(match(first) == "account=order");
  CHECK(match(second) == "account=order");
  const std::string carol = string_in(first.body, "sid"), dave = string_in(second.body, "sid");
  CHECK(handler.stats().account_guesses == 0);
  const http::Response of_dave = call_as(handler, shares, dave), of_carol = call_as(handler, shares, carol);
  CHECK(data_in(of_carol) == "ann's");
  CHECK(match(of_carol) == "account=order");
  CHECK(data_in(of_dave) == "bob's");
  CHECK(match(of_dave) == "account=order");
  CHECK(handler.stats().account_guesses == 2);
}

TEST_CASE("accounts: an unknown name does not take the account of a known one that has logged in") {
  const auto cassette = cassette_with(two_accounts(true, false));
  ReplayHandler handler(playing(cassette), 1);
  const std::string ann = log_in(handler, "ann"), carol = log_in(handler, "carol");
  CHECK(data_in(call_as(handler, shares, carol)) == "bob's");
  CHECK(match(call_as(handler, shares, carol)) == "account=order");
  CHECK(data_in(call_as(handler, shares, ann)) == "ann's");
  CHECK(match(call_as(handler, shares, ann)).empty());
}

TEST_CASE("accounts: with one recorded account, every name is that one") {
  const auto cassette = cassette_with({login("ann", sid_a), record(shares, data("ann's"), sid_a)});
  ReplayHandler handler(playing(cassette), 1);
  for (const std::string name : {"zoe", "ann", "carol"}) {
    const http::Response response = login_of(handler, name);
    CHECK(match(response).empty());
    const http::Response of_name = call_as(handler, shares, string_in(response.body, "sid"));
    CHECK(data_in(of_name) == "ann's");
    CHECK(match(of_name).empty());
  }
  CHECK(match(call(handler, shares)).empty());
}

TEST_CASE("accounts: a request without a login is unmarked if one account recorded the call or all responses agree") {
  std::vector<Recorded> rows = two_accounts(false, false);
  rows.push_back(record("SVC.Core.System/1/info", data("same"), sid_a));
  rows.push_back(record("SVC.Core.System/1/info", data("same"), sid_b));
  const auto cassette = cassette_with(rows);
  ReplayHandler handler(playing(cassette), 1);
  const std::string foreign = GENERATE("", "&_sid=an-id-of-the-clients-own");
  const auto ask_plain = [&](std::string_view text) { return get(handler, testing::target_of(text) + foreign); };
  CHECK(data_in(ask_plain(own_only)) == "ann's desktop");
  CHECK(match(ask_plain(own_only)).empty());
  CHECK(data_in(ask_plain("SVC.Core.System/1/info")) == "same");
  CHECK(match(ask_plain("SVC.Core.System/1/info")).empty());
  CHECK(handler.stats().account_guesses == 0);
  const http::Response response = ask_plain(shares);
  CHECK(data_in(response) == "ann's");
  CHECK(match(response) == "account=unknown");
  CHECK(handler.stats().account_guesses == 1);
}

TEST_CASE("accounts: private cassettes tell accounts apart by their order alone") {
  testing::TestCassette cassette;
  scrubbers::ScrubberOptions options = testing::fixture_scrubber();
  options.profile = std::make_shared<scrubbers::PrivateProfile>(scrubbers::PrivateOptions{});
  scrubbers::Scrubber scrubber(options);
  auto writer = testing::writer_with(cassette.path(), testing::timed(two_accounts(false, false)), scrubber);
  cassettes::FinishOptions finish;
  finish.scrubber = &scrubber;
  REQUIRE(cassettes::finish(std::move(writer), finish).finished);
  const cassettes::CassetteReader reader(cassette.path());
  CHECK_FALSE(reader.info().takes.at(0).account_key);
  REQUIRE(reader.accounts().size() == 2);
  CHECK_FALSE(reader.accounts().at(0).check);
  ReplayHandler handler(playing(cassette), 1);
  const std::string bob = log_in(handler, "bob");
  CHECK(data_in(call_as(handler, shares, bob)) == "ann's");
  CHECK(match(call_as(handler, shares, bob)) == "account=order");
}

TEST_CASE("accounts: takes of one cassette share their check values, so accounts keep their recordings") {
  testing::TestCassette cassette;
  testing::record_take(cassette.path(), {login("ann", sid_a), record(shares, data("ann's"), sid_a)});
  cassettes::Take later = testing::fixture_take();
  later.started_us += 1'000'000'000;
  testing::record_take(cassette.path(), {login("bob", sid_b), record(shares, data("bob's"), sid_b)}, later);
  ReplayHandler handler(playing(cassette), 1);
  const std::string ann = log_in(handler, "ann"), bob = log_in(handler, "bob");
  CHECK(data_in(call_as(handler, shares, ann)) == "ann's");
  CHECK(data_in(call_as(handler, shares, bob)) == "bob's");
  CHECK(match(call_as(handler, shares, bob)).empty());
}

TEST_CASE("accounts: a write of another account separates the reads of a lane") {
  const auto cassette = cassette_with({login("ann", sid_a), record(shares, data("one"), sid_a), logout(sid_a),
                                       login("bob", sid_b), record(create, testing::ok, sid_b), logout(sid_b),
                                       login("ann", sid_c), record(shares, data("two"), sid_c)});
  {
    ReplayHandler handler(playing(cassette), 1);
    const std::string ann = log_in(handler, "ann");
    CHECK(data_in(call_as(handler, shares, ann)) == "one");
    CHECK(data_in(call_as(handler, shares, ann)) == "one");
    static_cast<void>(call_as(handler, create, log_in(handler, "bob")));
    CHECK(data_in(call_as(handler, shares, log_in(handler, "ann"))) == "two");
    CHECK(handler.stats().out_of_order == 0);
  }
}

TEST_CASE("accounts: a write counts for all sessions of its account") {
  const std::string poll = "SVC.Backup.Task/1/status?task=7";
  const auto cassette = cassette_with(
      {login("ann", sid_a), record("SVC.Backup.Task/1/start?task=7", testing::ok, sid_a), login("ann", sid_b),
       record(poll, numbered(1), sid_b), record(poll, numbered(2), sid_b), record(poll, numbered(3), sid_b)});
  ReplayHandler handler(playing(cassette), 1);
  static_cast<void>(call_as(handler, "SVC.Backup.Task/1/start?task=7", log_in(handler, "ann")));
  const std::string second = log_in(handler, "ann");
  for (const std::string n : {"1", "2", "3"}) {
    CHECK(call_as(handler, poll, second).body.find("\"n\":" + n) != std::string::npos);
  }
  CHECK(handler.stats().out_of_order == 0);
}

TEST_CASE("accounts: a login that overlaps an ended session of its account continues after it") {
  const std::int64_t t = testing::fixture_start_us;
  const std::string poll = "SVC.Core.System.Utilization/1/get";
  std::vector<Recorded> rows;
  std::int64_t at = t;
  int n = 0;
  for (const std::string_view sid : {sid_a, sid_b, sid_c}) {
    rows.push_back(login("ann", sid).at(at, at + 100));
    rows.push_back(record(poll, numbered(++n), sid).at(at + 200, at + 300));
    rows.push_back(record(poll, numbered(++n), sid).at(at + 400, at + 500));
    // Two calls are in flight when the session ends. The client logs in again after the first refusal.
    rows.push_back(record(poll, testing::error(119), sid).at(at + 600, at + 700));
    rows.push_back(record(poll, testing::error(119), sid).at(at + 650, at + 900));
    at += 800;
  }
  const auto cassette = cassette_with(rows);
  ReplayHandler handler(playing(cassette), 1);
  std::string played;
  for (int i = 0; i < 3; ++i) {
    const std::string sid = log_in(handler, "ann");
    for (int k = 0; k < 2; ++k) {
      const std::string body = call_as(handler, poll, sid).body;
      played += body.substr(body.find("\"n\":") + 4, 1);
    }
  }
  CHECK(played == "123456");
}

TEST_CASE("accounts: each session plays the recorded session with its number") {
  const bool second_ends = GENERATE(false, true);
  const std::string a = "SVC.Core.Share/1/list", b = "SVC.Core.User/1/list";
  // Two sessions at once; one ends and a third follows.
  std::vector<Recorded> rows = {login("ann", sid_a), login("ann", sid_b), record(a, data("a1"), sid_a),
                                record(a, data("b1"), sid_b)};
  rows.push_back(logout(second_ends ? sid_b : sid_a));
  rows.push_back(login("ann", sid_c));
  rows.push_back(record(b, data("c2"), sid_c));
  rows.push_back(record(b, data(second_ends ? "a2" : "b2"), second_ends ? sid_a : sid_b));
  const auto cassette = cassette_with(rows);
  ReplayHandler handler(playing(cassette), 1);
  const std::string one = log_in(handler, "ann"), two = log_in(handler, "ann"), three = log_in(handler, "ann");
  CHECK(data_in(call_as(handler, a, one)) == "a1");
  CHECK(data_in(call_as(handler, a, two)) == "b1");
  CHECK(data_in(call_as(handler, b, three)) == "c2");
  CHECK(data_in(call_as(handler, b, second_ends ? one : two)) == (second_ends ? "a2" : "b2"));
}

}  // namespace
}  // namespace tapedeck::replay
