// Lanes, sequences, positions, writes, and takes (docs/matching.md, "Sequences, lanes, and positions").
#include <catch2/catch.hpp>

#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::error;
using testing::login;
using testing::ok;
using testing::record;
using testing::Recorded;

// Recorded IDs that are long enough to be searched for.
constexpr std::string_view sid_c = "CCCC-recorded-session-three-01234567";

constexpr std::string_view turns_poll = "SVC.Core.System.Utilization/1/get";
constexpr std::string_view terminal = "SVC.Core.Terminal/1/get";
constexpr std::string_view set_terminal = "SVC.Core.Terminal/1/set?enable_ssh=true";

/// Returns the number in a response, the negative error code, or 0 for anything else.
int number_in(const http::Response& response) {
  const std::size_t n = response.body.find(R"("n":)");
  if (n != std::string::npos) return std::stoi(response.body.substr(n + 4));
  const std::size_t code = response.body.find(R"("code":)");
  return code == std::string::npos ? 0 : -std::stoi(response.body.substr(code + 7));
}

std::string with_sid(std::string_view text, std::string_view sid) {
  return std::string(text) + (text.find('?') == std::string_view::npos ? "?" : "&") + "_sid=" + std::string(sid);
}

/// Sends `text` `times` times in a session.
std::vector<int> numbers(ReplayHandler& handler, std::string_view text, std::string_view sid, int times) {
  std::vector<int> found;
  for (int i = 0; i < times; ++i)
    found.push_back(number_in(call(handler, sid.empty() ? std::string(text) : with_sid(text, sid))));
  return found;
}

using Numbers = std::vector<int>;

TEST_CASE("replay: a sequence advances by one per response and repeats the last one") {
  const auto cassette = cassette_with({login("ann", sid_a), record(turns_poll, numbered(1), sid_a),
                                       record(turns_poll, numbered(2), sid_a), record(turns_poll, numbered(3), sid_a)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string one = log_in(handler, "ann");
  const std::string two = log_in(handler, "bob");
  CHECK(numbers(handler, turns_poll, one, 2) == Numbers{1, 2});
  CHECK(numbers(handler, turns_poll, two, 4) == Numbers{1, 2, 3, 3});
  CHECK(numbers(handler, turns_poll, one, 2) == Numbers{3, 3});
  CHECK(numbers(handler, turns_poll, "an-id-of-the-clients-own", 2) == Numbers{1, 2});
}

TEST_CASE("replay: --at-end miss makes a finished sequence miss") {
  const auto cassette =
      cassette_with({record(turns_poll, numbered(1)), record(turns_poll, numbered(2)), record(terminal, numbered(7))});
  ReplayOptions options = playing(cassette);
  options.at_end = AtEnd::miss;
  ReplayHandler handler(options, 1);
  CHECK(numbers(handler, turns_poll, "x", 3) == Numbers{1, 2, -100});
  CHECK(numbers(handler, terminal, "x", 2) == Numbers{7, -100});
  CHECK(call(handler, with_sid(turns_poll, "x")).body.find("--at-end stick") != std::string::npos);
}

TEST_CASE("replay: a fallback does not replace a recording that is finished or broken") {
  const std::string network = "SVC.Core.Network/1/get";
  const auto over = cassette_with({record(network, numbered(1))});
  ReplayOptions options = playing(over);
  options.at_end = AtEnd::miss;
  ReplayHandler handler(options, 1);
  CHECK(numbers(handler, network, "x", 2) == Numbers{1, -100});
  const auto broken = cassette_with({record(network, "{").broken("cut"), record(turns_poll, numbered(1))});
  ReplayHandler other(playing(broken), 1);
  CHECK(outcome(call(other, network)) == "miss");
}

TEST_CASE("replay: overlapping sessions have their own lanes, chosen by ordinal") {
  const auto at = [](Recorded row, int ms) {
    return std::move(row).at(testing::fixture_start_us + ms * 1000, testing::fixture_start_us + ms * 1000 + 500);
  };
  const auto cassette =
      cassette_with({at(login("ann", sid_a), 1), at(login("ann", sid_b), 2),
                     at(record(turns_poll, numbered(11), sid_a), 3), at(record(turns_poll, numbered(21), sid_b), 4),
                     at(record(turns_poll, numbered(12), sid_a), 5), at(record(turns_poll, numbered(22), sid_b), 6),
                     at(record(terminal, numbered(5), sid_b), 7), at(record(turns_poll, numbered(13), sid_a), 8)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string first = log_in(handler, "zoe");
  const std::string second = log_in(handler, "zoe");
  const std::string third = log_in(handler, "zoe");
  CHECK(numbers(handler, turns_poll, first, 2) == Numbers{11, 12});
  CHECK(numbers(handler, turns_poll, second, 3) == Numbers{21, 22, 22});
  CHECK(numbers(handler, turns_poll, third, 1) == Numbers{11});
  CHECK(numbers(handler, turns_poll, first, 1) == Numbers{13});
  // Lanes only choose between recordings; they never cause a miss.
  CHECK(numbers(handler, terminal, first, 1) == Numbers{5});
}

TEST_CASE("replay: a client that logs in again keeps its positions") {
  const auto cassette = cassette_with({login("ann", sid_a), record(turns_poll, numbered(1), sid_a), login("ann", sid_b),
                                       record(turns_poll, numbered(2), sid_b), login("ann", sid_c),
                                       record(turns_poll, numbered(3), sid_c)});
  ReplayHandler handler(playing(cassette), 1);
  Numbers seen;
  for (int i = 0; i < 4; ++i) seen.push_back(number_in(call(handler, with_sid(turns_poll, log_in(handler, "ann")))));
  CHECK(seen == Numbers{1, 2, 3, 3});
  CHECK(numbers(handler, turns_poll, log_in(handler, "bob"), 2) == Numbers{1, 2});
}

TEST_CASE("replay: --position and scopes decide which clients share positions") {
  const auto cassette = cassette_with({login("ann", sid_a), record(turns_poll, numbered(1), sid_a),
                                       record(turns_poll, numbered(2), sid_a), record(turns_poll, numbered(3), sid_a)});
  struct Row {
    Cursors cursors;
    Numbers expected;  ///< ann's first session, her second, bob's, ann's first
  };
  const std::vector<Row> rows = {
      {Cursors::automatic, {1, 1, 1, 2}},
      {Cursors::session, {1, 1, 1, 2}},
      {Cursors::account, {1, 2, 1, 3}},
      {Cursors::global, {1, 2, 3, 3}},
  };
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.cursors));
    ReplayOptions options = playing(cassette);
    options.cursors = row.cursors;
    ReplayHandler handler(options, 1);
    const std::string one = log_in(handler, "ann");
    const std::string two = log_in(handler, "ann");
    const std::string bob = log_in(handler, "bob");
    Numbers seen;
    for (const std::string& sid : {one, two, bob, one})
      seen.push_back(number_in(call(handler, with_sid(turns_poll, sid))));
    CHECK(seen == row.expected);
    const auto named = [&](const char* name, const std::string& sid) {
      return number_in(call(handler, with_sid(turns_poll, sid), {{"X-Tapedeck-Scope", name}}));
    };
    CHECK(Numbers{named("job", one), named("job", bob), named("other", one)} == Numbers{1, 2, 1});
  }
}

TEST_CASE("replay: 119 is skipped if the same request later succeeds, and other errors are replayed") {
  const auto cassette =
      cassette_with({record(terminal, error(119), sid_a), login("ann", sid_b), record(terminal, numbered(1), sid_b),
                     record(turns_poll, error(117), sid_b), record(turns_poll, numbered(2), sid_b)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string sid = log_in(handler, "ann");
  CHECK(numbers(handler, terminal, sid, 2) == Numbers{1, 1});
  CHECK(numbers(handler, turns_poll, sid, 2) == Numbers{-117, 2});
}

TEST_CASE("replay: reads do not pass a write") {
  const auto cassette = cassette_with({login("ann", sid_a), record(terminal, numbered(1), sid_a),
                                       record(set_terminal, ok, sid_a), record(terminal, numbered(2), sid_a)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string reader = log_in(handler, "ann");
  const std::string writer = log_in(handler, "bob");
  CHECK(numbers(handler, terminal, reader, 5) == Numbers{1, 1, 1, 1, 1});
  CHECK(number_in(call(handler, with_sid(set_terminal, writer))) == 0);
  CHECK(numbers(handler, terminal, writer, 2) == Numbers{2, 2});
  CHECK(numbers(handler, terminal, reader, 1) == Numbers{1});
}

TEST_CASE("replay: a write skips what the client did not read before it") {
  const auto cassette = cassette_with({record(terminal, numbered(1), sid_a), record(terminal, numbered(2), sid_a),
                                       record(set_terminal, ok, sid_a), record(terminal, numbered(3), sid_a),
                                       record(terminal, numbered(4), sid_a), record(set_terminal, ok, sid_a),
                                       record(terminal, numbered(5), sid_a)});
  ReplayHandler handler(playing(cassette), 1);
  const auto set = [&](std::string_view sid) { (void)call(handler, with_sid(set_terminal, sid)); };
  CHECK(numbers(handler, terminal, "x", 3) == Numbers{1, 2, 2});
  set("x");
  CHECK(numbers(handler, terminal, "x", 3) == Numbers{3, 4, 4});
  set("x");
  CHECK(numbers(handler, terminal, "x", 2) == Numbers{5, 5});
  set("y");
  CHECK(numbers(handler, terminal, "y", 1) == Numbers{3});
  set("z");
  set("z");
  CHECK(numbers(handler, terminal, "z", 1) == Numbers{5});
}

TEST_CASE("replay: a different write does not let reads pass the recorded one") {
  const std::string other = "SVC.Core.SNMP/1/set?enable=true";
  const auto cassette = cassette_with({record(other, ok, sid_a), record(terminal, numbered(1), sid_a),
                                       record(set_terminal, ok, sid_a), record(terminal, numbered(2), sid_a)});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(numbers(handler, terminal, "x", 1) == Numbers{1});
  (void)call(handler, with_sid(other, "x"));
  CHECK(numbers(handler, terminal, "x", 2) == Numbers{1, 1});
  (void)call(handler, with_sid(set_terminal, "x"));
  CHECK(numbers(handler, terminal, "x", 1) == Numbers{2});
}

TEST_CASE("replay: a write by a client that logs in before every call is seen by its next session") {
  const auto cassette =
      cassette_with({login("ann", sid_a), record(terminal, numbered(1), sid_a), login("ann", sid_b),
                     record(set_terminal, ok, sid_b), login("ann", sid_c), record(terminal, numbered(2), sid_c)});
  ReplayHandler handler(playing(cassette), 1);
  const auto as_new = [&](std::string_view text) {
    return number_in(call(handler, with_sid(text, log_in(handler, "ann"))));
  };
  CHECK(as_new(terminal) == 1);
  CHECK(as_new(terminal) == 1);
  CHECK(as_new(set_terminal) == 0);
  CHECK(as_new(terminal) == 2);
}

TEST_CASE("replay: the newest take in which a key succeeded is used") {
  const auto cassette = cassette_with(
      {record(terminal, numbered(1)), record(turns_poll, numbered(10)), record("SVC.Core.User/1/list", error(105))});
  testing::record_take(cassette.path(), {record(terminal, error(117)), record(turns_poll, numbered(20))});
  testing::record_take(cassette.path(), {record(terminal, error(100)), record("SVC.Core.User/1/list", error(117))});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(numbers(handler, terminal, "", 1) == Numbers{1});
  CHECK(numbers(handler, turns_poll, "", 1) == Numbers{20});
  CHECK(numbers(handler, "SVC.Core.User/1/list", "", 1) == Numbers{-117});
}

TEST_CASE("replay: the first cassette with a recording of the request is used") {
  const auto first = cassette_with({record(terminal, numbered(1))});
  const auto second = cassette_with({record(terminal, numbered(2)), record(turns_poll, numbered(3))});
  ReplayOptions options;
  options.cassettes = {first.path(), second.path()};
  ReplayHandler handler(options, 1);
  CHECK(numbers(handler, terminal, "", 1) == Numbers{1});
  CHECK(numbers(handler, turns_poll, "", 1) == Numbers{3});
}

TEST_CASE("replay: a valid session does not get the expiry of another one") {
  // The recorded client sent the call once more after its logout or after an expiry.
  for (const int code : {106, 107, 119}) {
    CAPTURE(code);
    const auto cassette = cassette_with({login("ann", sid_a), record(turns_poll, numbered(1), sid_a),
                                         record(turns_poll, numbered(2), sid_a), record(turns_poll, error(code), sid_a),
                                         record(terminal, error(code), sid_a)});
    ReplayHandler handler(playing(cassette), 1);
    const std::string sid = log_in(handler, "ann");
    CHECK(numbers(handler, turns_poll, sid, 4) == Numbers{1, 2, 2, 2});
    // If there is nothing else, the error is replayed.
    CHECK(numbers(handler, terminal, sid, 2) == Numbers{-code, -code});
  }
}

TEST_CASE("replay: a session stays on the take of its last recorded write") {
  const std::string other = "SVC.Core.SNMP/1/get";
  const auto cassette =
      cassette_with({login("ann", sid_a), record(terminal, numbered(1), sid_a), record(set_terminal, ok, sid_a),
                     record(terminal, numbered(2), sid_a), record(turns_poll, numbered(10), sid_a),
                     record(turns_poll, numbered(11), sid_a)});
  testing::record_take(cassette.path(), {login("ann", sid_b), record(terminal, numbered(3), sid_b),
                                         record(turns_poll, numbered(20), sid_b), record(other, numbered(30), sid_b)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string reader = log_in(handler, "ann");
  const std::string writer = log_in(handler, "bob");
  CHECK(numbers(handler, terminal, reader, 1) == Numbers{3});
  CHECK(numbers(handler, terminal, writer, 1) == Numbers{3});
  CHECK(number_in(call(handler, with_sid(set_terminal, writer))) == 0);
  CHECK(numbers(handler, terminal, writer, 2) == Numbers{2, 2});
  CHECK(numbers(handler, turns_poll, writer, 2) == Numbers{10, 11});
  // That take does not have this call.
  CHECK(numbers(handler, other, writer, 1) == Numbers{30});
  CHECK(numbers(handler, turns_poll, reader, 1) == Numbers{20});
  CHECK(numbers(handler, turns_poll, log_in(handler, "bob"), 1) == Numbers{20});
}

TEST_CASE("replay: the take of the last write applies to everyone whose positions it moved") {
  const auto first = std::vector<Recorded>{login("ann", sid_a), record(turns_poll, numbered(1), sid_a),
                                           login("ann", sid_b), record(set_terminal, ok, sid_b),
                                           login("ann", sid_c), record(turns_poll, numbered(2), sid_c)};
  const auto cassette = cassette_with(first);
  testing::record_take(cassette.path(), {login("ann", sid_a), record(turns_poll, numbered(9), sid_a)});
  ReplayHandler handler(playing(cassette), 1);
  // A client that logs in before every call.
  const auto as_new = [&](std::string_view text) {
    return number_in(call(handler, with_sid(text, log_in(handler, "ann"))));
  };
  CHECK(as_new(turns_poll) == 9);
  CHECK(as_new(set_terminal) == 0);
  CHECK(as_new(turns_poll) == 2);
  CHECK(numbers(handler, turns_poll, log_in(handler, "bob"), 1) == Numbers{9});

  ReplayOptions options = playing(cassette);
  options.cursors = Cursors::global;
  ReplayHandler together(options, 1);
  CHECK(numbers(together, turns_poll, "x", 1) == Numbers{9});
  (void)call(together, with_sid(set_terminal, "x"));
  CHECK(numbers(together, turns_poll, "y", 1) == Numbers{2});
}

TEST_CASE("replay: of two takes with writes, the last one written to is used") {
  const auto cassette = cassette_with({record(set_terminal, ok, sid_a), record(terminal, numbered(1), sid_a)});
  const std::string newer = "SVC.Core.SNMP/1/set?enable=true";
  testing::record_take(cassette.path(), {record(newer, ok, sid_a), record(terminal, numbered(2), sid_a)});
  ReplayHandler handler(playing(cassette), 1);
  (void)call(handler, with_sid(set_terminal, "x"));
  CHECK(numbers(handler, terminal, "x", 1) == Numbers{1});
  (void)call(handler, with_sid(newer, "x"));
  CHECK(numbers(handler, terminal, "x", 1) == Numbers{2});
  (void)call(handler, with_sid(set_terminal, "x"));
  CHECK(numbers(handler, terminal, "x", 1) == Numbers{1});
}

TEST_CASE("replay: downloads, thumbnails, and streams do not count as writes") {
  for (const std::string method : {"download", "thumb", "stream", "view", "export"}) {
    CAPTURE(method);
    const std::string text = "SVC.FileStation.Download/1/" + method + "?path=/a";
    const auto cassette = cassette_with({login("ann", sid_a), record(turns_poll, numbered(1), sid_a),
                                         record(text, "bytes", sid_a), record(turns_poll, numbered(2), sid_a)});
    ReplayHandler handler(playing(cassette), 1);
    CHECK(numbers(handler, turns_poll, log_in(handler, "ann"), 3) == Numbers{1, 2, 2});
  }
}

/// Returns how many responses were out of order after each of the texts, sent in one session.
std::vector<int> disorder(ReplayHandler& handler, const std::vector<std::string>& texts, std::string_view sid) {
  std::vector<int> counts;
  for (const std::string& text : texts) {
    (void)call(handler, with_sid(text, sid));
    counts.push_back(static_cast<int>(handler.stats().out_of_order));
  }
  return counts;
}

TEST_CASE("replay: counts responses out of their recorded order") {
  const std::string get(terminal), set(set_terminal), other = "SVC.Core.SNMP/1/get";
  struct Row {
    std::string what;
    std::vector<testing::Recorded> recorded;
    std::vector<std::string> asked;
    std::vector<int> counts;
  };
  const auto before_and_after = [&] {
    return std::vector<Recorded>{record(get, numbered(1), sid_a), record(set, ok, sid_a),
                                 record(get, numbered(2), sid_a)};
  };
  const std::vector<Row> rows = {
      {"in order", before_and_after(), {get, get, set, get, get}, {0, 0, 0, 0, 0}},
      {"an earlier answer was left out", before_and_after(), {set, get, get}, {0, 1, 2}},
      {"only after a write that is not made",
       {record(set, ok, sid_a), record(get, numbered(1), sid_a), record(get, numbered(2), sid_a)},
       {get, get},
       {1, 2}},
      {"and with it",
       {record(set, ok, sid_a), record(get, numbered(1), sid_a), record(get, numbered(2), sid_a)},
       {set, get, get},
       {0, 0, 0}},
      {"answers that are all the same",
       {record(get, numbered(1), sid_a), record(set, ok, sid_a), record(get, numbered(1), sid_a)},
       {set, get},
       {0, 0}},
      {"another key",
       {record(other, ok, sid_a), record(get, numbered(1), sid_a), record(get, numbered(2), sid_a)},
       {get, get, other},
       {0, 0, 0}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const auto cassette = cassette_with(row.recorded);
    ReplayOptions options = playing(cassette);
    std::vector<std::string> keys;
    options.on_notice = [&keys](const Notice& notice) {
      if (notice.kind == Notice::Kind::order) keys.push_back(notice.text);
    };
    ReplayHandler handler(options, 1);
    CHECK(disorder(handler, row.asked, "x") == row.counts);
    CHECK(keys == (row.counts.back() > 0 ? std::vector<std::string>{get} : std::vector<std::string>{}));
  }
}

TEST_CASE("replay: a shuffled test suite with a shared account is reported as out of order") {
  // Each test logs in by itself: the first one reads, and the second one changes the setting and reads it back.
  const auto cassette = cassette_with({login("ann", sid_a), record(terminal, numbered(1), sid_a), login("ann", sid_b),
                                       record(set_terminal, ok, sid_b), record(terminal, numbered(2), sid_b)});
  const auto first = [&](ReplayHandler& handler) {
    return number_in(call(handler, with_sid(terminal, log_in(handler, "ann"))));
  };
  const auto second = [&](ReplayHandler& handler) {
    const std::string sid = log_in(handler, "ann");
    (void)call(handler, with_sid(set_terminal, sid));
    return number_in(call(handler, with_sid(terminal, sid)));
  };
  ReplayHandler as_recorded(playing(cassette), 1);
  CHECK(Numbers{first(as_recorded), second(as_recorded)} == Numbers{1, 2});
  CHECK(as_recorded.stats().out_of_order == 0);
  ReplayHandler shuffled(playing(cassette), 1);
  CHECK(second(shuffled) == 2);
  CHECK(first(shuffled) == 2);
  CHECK(shuffled.stats().out_of_order == 2);
}

TEST_CASE("replay: an expiry is replayed to clients without an ID, and not to a valid session") {
  const std::string key = "SVC.Core.Network/1/get", found = R"({"data":{"n":1},"success":true})";
  const std::string ended = R"({"error":{"code":119},"success":false})";
  // The page has logged out and no longer has its cookie.
  const auto cassette =
      cassette_with({login("ann", sid_a), record(key, found, sid_a),
                     record("SVC.API.Auth/6/logout", R"({"success":true})", sid_a), record(key, ended)});
  ReplayHandler handler(playing(cassette), 1);
  for (int client = 0; client < 3; ++client) {
    const std::string with_id = key + "?_sid=" + log_in(handler, "client " + std::to_string(client));
    CHECK(call(handler, with_id).body == found);
    CHECK(call(handler, with_id).body == found);
    CHECK(call(handler, key).body == ended);
  }
}

}  // namespace
}  // namespace tapedeck::replay
