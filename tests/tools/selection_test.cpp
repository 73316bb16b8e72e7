#include "tools/selection.h"

#include <catch2/catch.hpp>

namespace tapedeck::tools {

namespace {

constexpr std::int64_t second = 1'000'000;

cassettes::ListedInteraction line(std::string key, int status = 200, std::optional<int> code = 0) {
  cassettes::ListedInteraction made;
  made.id = "0123456789abcdef";
  made.take = 2;
  made.scope = "login fails";
  made.key = std::move(key);
  made.status = status;
  made.error_code = code;
  made.started_us = 1000 * second;
  return made;
}

}  // namespace

TEST_CASE("selection: a request that is no call fits no filter of calls") {
  Selection selection;
  selection.calls = {[](const api::Call& call) { return call.is("Core.Share", "list"); },
                     [](const api::Call& call) { return call.is("Core.Share", "get"); }};
  CHECK_FALSE(selection.is_all());
  CHECK(selection.has(line("SVC.Core.Share/1/list?limit=3")));
  CHECK_FALSE(selection.has(line("SVC.Core.Share/1/set")));
  CHECK_FALSE(selection.has(line("GET /index.html")));
}

TEST_CASE("selection: requires a match of every kind of filter") {
  const auto both = [](auto set, auto wrong) {
    Selection selection;
    CHECK(selection.is_all());
    set(selection);
    CHECK(selection.has(line("SVC.A/1/b")));
    CHECK_FALSE(selection.is_all());
    wrong(selection);
    CHECK_FALSE(selection.has(line("SVC.A/1/b")));
  };
  both([](Selection& s) { s.takes = {1, 2}; }, [](Selection& s) { s.takes = {1}; });
  both([](Selection& s) { s.scopes = {"", "login fails"}; }, [](Selection& s) { s.scopes = {""}; });
  both([](Selection& s) { s.ids = {"ffff", "0123"}; }, [](Selection& s) { s.ids = {"1234"}; });
  both([](Selection& s) { s.since_us = 1000 * second; }, [](Selection& s) { s.since_us = 1001 * second; });
  both([](Selection& s) { s.outcomes = {Outcome::ok}; }, [](Selection& s) { s.outcomes = {Outcome::error}; });
  both([](Selection& s) { s.statuses = {*StatusFilter::parse("2xx")}; },
       [](Selection& s) { s.statuses = {*StatusFilter::parse("201")}; });
}

TEST_CASE("selection: matches outcomes and statuses") {
  CHECK(outcome_of(line("x", 200, 105)) == Outcome::error);
  CHECK(outcome_of(line("x", 404, std::nullopt)) == Outcome::error);
  CHECK(outcome_of(line("x", 304, std::nullopt)) == Outcome::ok);
  auto broken = line("x");
  broken.completeness = api::Completeness::broken;
  CHECK(outcome_of(broken) == Outcome::broken);
  broken.completeness = api::Completeness::withheld;
  CHECK(outcome_of(broken) == Outcome::withheld);
  CHECK(outcome_named("ok") == Outcome::ok);
  CHECK(outcome_named("error") == Outcome::error);
  CHECK(outcome_named("broken") == Outcome::broken);
  CHECK(outcome_named("withheld") == Outcome::withheld);
  CHECK_FALSE(outcome_named("fine"));
  struct Case {
    const char* text;
    int status;
    std::optional<int> code;
    bool fits;
  };
  for (const Case& one : {Case{"404", 404, {}, true}, Case{"4xx", 499, {}, true}, Case{"4xx", 500, {}, false},
                          Case{"200/105", 200, 105, true}, Case{"200/105", 200, 0, false},
                          Case{"200/105", 201, 105, false}, Case{"/105", 500, 105, true}, Case{"/105", 200, {}, false},
                          Case{"/0", 200, 0, true}, Case{"000", 0, {}, true}}) {
    INFO(one.text);
    CHECK(StatusFilter::parse(one.text)->has(line("x", one.status, one.code)) == one.fits);
  }
  for (const char* none : {"", "4", "40", "4000", "x", "4x4", "200/", "/", "/x", "-04", "200/1/2"}) {
    CHECK_FALSE(StatusFilter::parse(none));
  }
}

TEST_CASE("selection: parses times") {
  constexpr std::int64_t day = 86'400, now = 20'000 * day * second;
  struct Case {
    const char* text;
    std::int64_t seconds;
  };
  for (const Case& one : {Case{"1970-01-02", day}, Case{"1970-01-01T01:02", 3720}, Case{"1970-01-01 01:02:03", 3723},
                          Case{"1970-01-01T01:02:03Z", 3723}, Case{"2024-02-29", 1709164800}, Case{"1970-01-01Z", 0},
                          Case{"0s", 20'000 * day}, Case{"90s", 20'000 * day - 90}, Case{"2h", 20'000 * day - 7200},
                          Case{"7d", 19'993 * day}}) {
    INFO(one.text);
    CHECK(time_of(one.text, now) == std::optional(one.seconds * second));
  }
  for (const char* none : {"", "yesterday", "2023-02-29", "2024-13-01", "2024-1-1", "1970-01-01T", "1970-01-01T25:00",
                           "1970-01-01T01:60", "3", "h", "-3h", "3y", "1w", "99999999999999999d", "1970-01-01T01"}) {
    INFO(none);
    CHECK_FALSE(time_of(none, now));
  }
}

}  // namespace tapedeck::tools
