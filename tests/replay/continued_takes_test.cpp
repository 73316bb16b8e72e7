// Takes that `--mode new` has added play after the takes that it replayed (docs/replay.md, "Sequences, lanes, and
// positions").

#include <catch2/catch.hpp>

#include <map>

#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay::continued_cases {
namespace {

using testing::error;
using testing::login;
using testing::ok;
using testing::record;
using testing::record_target;
using testing::Recorded;

using Rows = std::vector<Recorded>;

const std::string get_call = "SVC.A/1/get", set_call = "SVC.A/1/set";

Recorded polled(int n, std::string_view sid = {}) { return record(get_call, numbered(n), sid); }
Recorded written(std::string_view sid = {}) { return record(set_call, ok, sid); }

std::string compound_of(const std::string& parts) {
  std::string list;
  for (const char api : parts) {
    list += std::string(list.empty() ? "" : ",") + R"({"api":"SVC.)" + api + R"(","version":1,"method":"get"})";
  }
  return "SVC.Entry.Request/1/request?compound=[" + list + "]";
}

/// A compound of reads of these APIs; each returns the digit at its place.
Recorded compounded(const std::string& parts, const std::string& digits, std::string_view sid = {}) {
  std::string list;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    list += std::string(i == 0 ? "" : ",") + R"({"api":"SVC.)" + parts[i] + R"(","data":{"n":)" + digits[i] +
            R"(},"method":"get","success":true,"version":1})";
  }
  return record(compound_of(parts), R"({"data":{"has_fail":false,"result":[)" + list + R"(]},"success":true})", sid);
}

/// Two sessions at the same time, and thus in two lanes.
Rows two_lanes(Rows rows) {
  Rows all = {login("ann", sid_a), login("ann", sid_b)};
  for (Recorded& row : rows) all.push_back(std::move(row));
  all.push_back(record("SVC.Z/1/get", ok, sid_a));
  all.push_back(record("SVC.Z/1/get", ok, sid_b));
  return all;
}

struct Take {
  bool continues = false;
  Rows rows;
};
Take first(Rows rows) { return {false, std::move(rows)}; }
Take more(Rows rows) { return {true, std::move(rows)}; }

testing::TestCassette recorded(const std::vector<Take>& takes) {
  testing::TestCassette cassette;
  for (const Take& take : takes) {
    cassettes::Take info = testing::fixture_take();
    info.continues = take.continues;
    testing::record_take(cassette.path(), take.rows, info);
  }
  return cassette;
}

/// Returns the numbers in a response, `e` for an error, `-` for a miss, or else `.`.
std::string shown(const http::Response& response) {
  if (outcome(response) == "miss") return "-";
  std::string numbers;
  for (std::size_t at = 0; (at = response.body.find("\"n\":", at)) != std::string::npos; at += 4) {
    numbers += response.body[at + 4];
  }
  if (!numbers.empty()) return numbers;
  return response.body.find("\"error\"") != std::string::npos ? "e" : ".";
}

/// Sends calls: `g` gets, `s` sets, `h` gets B, `c` sends a compound of both gets; without a session, or in that of the
/// n-th login after a digit n. Returns the responses.
std::string played(ReplayHandler& handler, const std::string& calls) {
  const std::map<char, std::string> texts = {
      {'g', get_call}, {'s', set_call}, {'h', "SVC.B/1/get"}, {'c', compound_of("AB")}};
  std::map<char, std::string> sids;
  std::string all, sid;
  for (const char one : calls) {
    if (one >= '0' && one <= '9') {
      if (!sids.contains(one)) sids[one] = log_in(handler, "ann");
      sid = sids[one];
      continue;
    }
    const std::string& text = texts.at(one);
    const std::string mark = text.find('?') == std::string::npos ? "?" : "&";
    all += shown(call(handler, sid.empty() ? text : text + mark + "_sid=" + sid));
  }
  return all;
}

struct Row {
  std::string what;
  std::vector<Take> takes;
  std::string calls, responses;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const auto cassette = recorded(row.takes);
    ReplayHandler handler(playing(cassette), 1);
    CHECK(played(handler, row.calls) == row.responses);
  }
}

TEST_CASE("continued takes: earlier responses come first, then those that --mode new added") {
  const Rows refused = {record(get_call, error(402))};
  check({
      {"one extension", {first({polled(1), polled(2)}), more({polled(3)})}, "gggg", "1233"},
      {"several extensions", {first({polled(1)}), more({polled(2)}), more({polled(3), polled(4)})}, "ggggg", "12344"},
      {"a take that continues nothing", {first({polled(1)}), first({polled(2)})}, "gg", "22"},
      {"an extension of the newest", {first({polled(1)}), first({polled(2)}), more({polled(3)})}, "ggg", "233"},
      {"a newer whole recording", {first({polled(1)}), more({polled(2)}), first({polled(3)})}, "gg", "33"},
      {"of a call that was not recorded", {first({written()}), more({polled(2)}), more({polled(3)})}, "ggg", "233"},
      {"without an earlier take", {more({polled(1)}), more({polled(2)})}, "ggg", "122"},
      {"an error before a success", {first(refused), more({polled(1)})}, "ggg", "e11"},
      {"a success before an error", {first({polled(1)}), more(refused)}, "ggg", "1ee"},
      {"a newer take with only an error",
       {first({polled(1)}), more({polled(2)}), first(refused), more({polled(3)})},
       "ggg",
       "123"},
      {"an end of a session in the extension",
       {first({polled(1)}), more({record(get_call, error(119)), polled(2)})},
       "ggg",
       "122"},
      {"an end of a session before", {first({record(get_call, error(119))}), more({polled(2)})}, "gg", "22"},
      {"a refusal that later succeeds", {first({record(get_call, error(105))}), more({polled(2)})}, "gg", "22"},
  });
}

TEST_CASE("continued takes: writes of an extension divide its own responses, and earlier ones theirs") {
  check({
      {"a read after a write", {first({polled(1)}), more({polled(2), written(), polled(3)})}, "gggsgg", "122.33"},
      {"only after the write", {first({polled(1)}), more({written(), polled(3)})}, "ggsgg", "11.33"},
      {"a read only before the write", {first({polled(1)}), more({polled(2), written()})}, "ggsg", "12.2"},
      {"a write in the first take", {first({polled(1), written(), polled(2)}), more({polled(3)})}, "ggsggg", "11.233"},
      {"a second write", {first({written(), polled(1)}), more({written(), polled(2)})}, "sgsg", ".1.2"},
  });
}

TEST_CASE("continued takes: each lane continues its own") {
  check({
      {"as many lanes as before",
       {first(two_lanes({polled(1, sid_a), polled(5, sid_b)})), more(two_lanes({polled(2, sid_a), polled(6, sid_b)}))},
       "1g2g1gg2gg",
       "152266"},
      {"only one lane reached the end",
       {first(two_lanes({polled(1, sid_a), polled(5, sid_b)})), more(two_lanes({polled(6, sid_b)}))},
       "1g2g1gg2gg",
       "151166"},
      {"one session alone, which may be any",
       {first(two_lanes({polled(1, sid_a), polled(5, sid_b)})), more({polled(6, sid_b)})},
       "1g2g1gg2gg",
       "156666"},
      {"more lanes than before",
       {first({login("ann", sid_a), polled(1, sid_a)}), more(two_lanes({polled(2, sid_a), polled(6, sid_b)}))},
       "1g2g1gg2gg",
       "112266"},
      {"a call without a session continues with one",
       {first({polled(1), login("ann", sid_b), record("SVC.Z/1/get", ok, sid_b)}), more({polled(2, sid_a)})},
       "g1ggg",
       "1122"},
      {"twice", {first({polled(1, sid_a)}), more({polled(2, sid_b)}), more({polled(3, sid_a)})}, "1gggg", "1233"},
  });
}

TEST_CASE("continued takes: parts of compounds continue as calls do, in either direction") {
  const auto both = [](int n) { return Rows{polled(n), record("SVC.B/1/get", numbered(n + 1))}; };
  check({
      {"a part, then the call alone", {first({compounded("A", "1")}), more({polled(2)})}, "ggg", "122"},
      {"the call alone, then a part", {first({polled(1)}), more({compounded("A", "2")})}, "ggg", "122"},
      {"parts", {first({compounded("A", "1")}), more({compounded("A", "2")})}, "ggg", "122"},
      {"a compound", {first({compounded("AB", "12")}), more({compounded("AB", "34")})}, "ccc", "123434"},
      {"a compound of calls that were recorded alone",
       {first(both(1)), more({compounded("AB", "34")})},
       "ccc",
       "123434"},
      {"the same twice",
       {first(both(1)), more({compounded("AB", "34")}), more({compounded("AB", "56")})},
       "cccc",
       "12345656"},
      {"a compound with a new part", {first({polled(1)}), more({compounded("AB", "34")})}, "cc", "3434"},
  });
}

TEST_CASE("continued takes: --at-end counts from the end of all responses") {
  const auto cassette = recorded({first({polled(1), polled(2)}), more({polled(3)})});
  struct End {
    AtEnd at_end;
    std::string responses;
    std::uint64_t past_end;
  };
  for (const End& row : {End{AtEnd::stick, "12333", 2}, {AtEnd::loop, "12312", 1}, {AtEnd::miss, "123--", 0}}) {
    CAPTURE(row.responses);
    ReplayOptions options = playing(cassette);
    options.at_end = row.at_end;
    ReplayHandler handler(options, 1);
    CHECK(played(handler, "ggggg") == row.responses);
    CHECK(handler.stats().past_end == row.past_end);
    CHECK(handler.stats().out_of_order == 0);
  }
}

TEST_CASE("continued takes: --cursors decides who shares the position of all responses") {
  const auto cassette = recorded({first({login("ann", sid_a), polled(1, sid_a)}), more({polled(2, sid_b)})});
  struct Shared {
    Cursors cursors;
    std::string responses;
  };
  for (const Shared& row : {Shared{Cursors::automatic, "112"},
                            {Cursors::session, "112"},
                            {Cursors::account, "122"},
                            {Cursors::global, "122"}}) {
    CAPTURE(static_cast<int>(row.cursors));
    ReplayOptions options = playing(cassette);
    options.cursors = row.cursors;
    ReplayHandler handler(options, 1);
    CHECK(played(handler, "1g2g1g") == row.responses);
  }
}

TEST_CASE("continued takes: with --ignore, what was replayed for the parameter comes first") {
  const auto listed = [](int limit, int n) {
    return record("SVC.A/1/get?limit=" + std::to_string(limit), numbered(n));
  };
  const auto cassette = recorded({first({listed(1, 1), listed(2, 2)}), more({listed(3, 3)}), more({listed(2, 4)})});
  ReplayOptions options = playing(cassette);
  options.ignore_params = {"limit"};
  ReplayHandler handler(options, 1);
  std::string all;
  for (const char limit : {'3', '3', '3', '9', '9'}) {
    all += shown(call(handler, std::string("SVC.A/1/get?limit=") + limit));
  }
  CHECK(all == "12344");
  handler.scopes().reset();
  ReplayHandler exact(options, 1);
  all.clear();
  for (const char limit : {'2', '2', '9'}) all += shown(call(exact, std::string("SVC.A/1/get?limit=") + limit));
  CHECK(all == "244");
}

TEST_CASE("continued takes: with --bind, values of the first take are bound before those of its extensions") {
  const auto of = [](const std::string& id, int n) { return record("SVC.A/1/get?id=" + id, numbered(n)); };
  const auto cassette =
      recorded({first({of("old-one", 9)}), first({of("one-of-four", 1)}), more({of("two-of-four", 2)})});
  ReplayOptions options = playing(cassette);
  options.bind_params = {"id"};
  ReplayHandler handler(options, 1);
  std::string all;
  for (const std::string id : {"live-first", "live-second", "live-third", "live-first"}) {
    all += shown(call(handler, "SVC.A/1/get?id=" + id));
  }
  CHECK(all == "1291");
}

TEST_CASE("continued takes: an extension in another cassette plays after what that one continues") {
  const auto added = recorded({more({polled(3)})});
  const auto before = recorded({first({polled(1), polled(2), record("SVC.B/1/get", numbered(7))})});
  const auto one = recorded({first({polled(1)})});
  struct Cassettes {
    std::vector<std::string> paths;
    AtEnd at_end;
    std::string responses;
  };
  for (const Cassettes& row : {Cassettes{{added.path(), before.path()}, AtEnd::stick, "1237"},
                               {{added.path(), before.path()}, AtEnd::miss, "1237"},
                               {{added.path(), one.path(), before.path()}, AtEnd::stick, "1127"},
                               {{added.path(), one.path()}, AtEnd::stick, "133-"}}) {
    CAPTURE(row.responses);
    ReplayOptions options;
    options.cassettes = row.paths;
    options.at_end = row.at_end;
    ReplayHandler handler(options, 1);
    CHECK(played(handler, "gggh") == row.responses);
  }
}

TEST_CASE("continued takes: requests that are not calls, and responses to conditions, continue, too") {
  const auto file = [](const std::string& body) { return record_target("GET", "/files/a", body); };
  const auto cassette = recorded({first({file(numbered(1)), file(numbered(2))}), more({file(numbered(3))})});
  ReplayHandler handler(playing(cassette), 1);
  std::string all;
  for (int i = 0; i < 4; ++i) all += shown(get(handler, "/files/a"));
  CHECK(all == "1233");

  const auto unchanged = [](const std::string& tag) {
    return record_target("GET", "/files/a", "")
        .with_status(304, "Not Modified")
        .with_header("ETag", tag)
        .with_request_header("If-None-Match", "\"x\"");
  };
  const auto tagged = recorded({first({file(numbered(1)), unchanged("\"1\"")}), more({unchanged("\"2\"")})});
  ReplayHandler conditional(playing(tagged), 1);
  std::string tags;
  for (int i = 0; i < 3; ++i) {
    tags += get(conditional, "/files/a", {{"If-None-Match", "\"x\""}}).headers.first("ETag").value_or("-");
  }
  CHECK(tags == "\"1\"\"2\"\"2\"");
}

TEST_CASE("continued takes: an extension counts as used with what it continues") {
  struct Use {
    std::vector<Take> takes;
    std::string calls;
    std::vector<std::string> uses;
  };
  const auto lanes = two_lanes({polled(1, sid_a), polled(5, sid_b)});
  for (const Use& row : {
           Use{{first({polled(1), polled(2)}), more({polled(3)})}, "gg", {"1: 2 of 3"}},
           {{first({polled(1), polled(2)}), more({polled(3)})}, "ggg", {"1: 3 of 3 finished"}},
           {{first({polled(1)}), more({polled(2)}), first({polled(3)})},
            "g",
            {"1: 0 of 1 superseded", "2: 0 of 1 superseded", "3: 1 of 1 finished"}},
           {{first(lanes), more({polled(6, sid_b)})}, "1ggg", {"1: 2 of 2 finished", "1: 0 of 1"}},
       }) {
    CAPTURE(row.uses);
    const auto cassette = recorded(row.takes);
    ReplayOptions options = playing(cassette);
    options.counts_use = true;
    ReplayHandler handler(options, 1);
    (void)played(handler, row.calls);
    std::vector<std::string> uses;
    handler.each_use([&](const SequenceUse& use) {
      if (use.key != get_call) return true;
      uses.push_back(std::to_string(use.take) + ": " + std::to_string(use.played) + " of " +
                     std::to_string(use.recordings) + (use.finished ? " finished" : "") +
                     (use.superseded ? " superseded" : ""));
      int answers = 0;
      handler.each_answer(0, {"", use.key, use.take, use.lane}, [&](const auto&, bool) { ++answers; });
      CHECK(answers == static_cast<int>(use.recordings));
      return true;
    });
    CHECK(uses == row.uses);
  }
}

}  // namespace
}  // namespace tapedeck::replay::continued_cases
