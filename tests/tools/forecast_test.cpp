// Tests the list of changes between two firmwares, and the overlays for them.

#include <catch2/catch.hpp>

#include "tests/support/cassette_fixture.h"
#include "tools/capsule/body_elements.h"
#include "tools/forecast/breakage.h"
#include "tools/forecast/change_overlays.h"

namespace tapedeck::tools {
namespace {

using testing::cassette_with;
using testing::error;
using testing::record;
using testing::Recorded;

std::string success(const std::string& data) { return R"({"data":)" + data + R"(,"success":true})"; }

std::vector<std::string> changes_between(std::vector<Recorded> before, std::vector<Recorded> after,
                                         std::vector<std::string>* unknown = nullptr) {
  const auto old_cassette = cassette_with(std::move(before)), new_cassette = cassette_with(std::move(after));
  const auto comparison = compare_firmwares(responses_of(cassettes::CassetteReader(old_cassette.path())),
                                            responses_of(cassettes::CassetteReader(new_cassette.path())));
  std::vector<std::string> lines;
  for (const FirmwareChange& change : comparison.changes) {
    lines.push_back(change.call + " " + change.path + " " + to_string(change));
  }
  if (unknown != nullptr) *unknown = comparison.unknown;
  return lines;
}

Recorded info(const std::string& query, const std::string& apis) {
  return record("SVC.API.Info/1/query?query=" + query, success(apis));
}

}  // namespace

TEST_CASE("forecast: a removed, added, renamed, or retyped field is one change") {
  struct Case {
    const char *before, *after;
    std::vector<std::string> changes;
  };
  const std::vector<Case> cases = {
      {R"({"a":1})", R"({"a":2})", {}},
      {R"({"a":1})", R"({"a":1.5})", {}},
      {R"({"a":1,"b":2})", R"({"a":1})", {"/data/b removed"}},
      {R"({"a":1})", R"({"a":1,"b":{"c":{"d":3}}})", {"/data/b added"}},
      {R"({"a":1,"b":{"c":{"d":3}}})", R"({"a":1})", {"/data/b removed"}},
      {R"({"a":1})", R"({"a":"1"})", {"/data/a type: number -> string"}},
      {R"({"a":{"b":1}})", R"({"a":[1]})", {"/data/a type: object -> array"}},
      {R"({"a":null})", R"({"a":"x"})", {"/data/a type: null -> string"}},
      {R"({"quota":7})", R"({"quota_mb":9})", {"/data/quota renamed: quota -> quota_mb"}},
      {R"({"size":{"x":1}})", R"({"totalSize":{"x":1}})", {"/data/size renamed: size -> totalSize"}},
      {R"({"first":"some text"})", R"({"second":"some text"})", {"/data/first renamed: first -> second"}},
      {R"({"first":true})", R"({"second":true})", {"/data/first removed", "/data/second added"}},
      {R"({"list":[{"id":"a","x":1},{"id":"b","x":2}]})",
       R"({"list":[{"id":"c","x":"3"}]})",
       {"/data/list/*/x type: number -> string"}},
      {R"({"list":[]})", R"({"list":[{"x":1}]})", {}},
      {R"({"list":[{"a":1,"b":1},{"a":1}]})", R"({"list":[{"a":1}]})", {"/data/list/*/b removed"}},
      {R"({"192.0.2.1":{"x":1}})", R"({"192.0.2.2":{"x":"1"}})", {"/data/*/x type: number -> string"}}};
  for (const Case& one : cases) {
    CAPTURE(one.before, one.after);
    std::vector<std::string> expected;
    for (const std::string& change : one.changes) expected.push_back("SVC.A/1/get " + change);
    CHECK(changes_between({record("SVC.A/1/get", success(one.before))}, {record("SVC.A/1/get", success(one.after))}) ==
          expected);
  }
}

TEST_CASE("forecast: errors, missing calls, and versions are one change each") {
  const auto a = [](const std::string& answer) { return record("SVC.A/1/get", answer); };
  const std::string fine = success("{}");
  const std::string apis = R"({"SVC.A":{"minVersion":1,"maxVersion":3},"SVC.B":{"minVersion":1,"maxVersion":1}})";
  CHECK(changes_between({a(fine)}, {a(error(105))}) == std::vector<std::string>{"SVC.A/1/get  error: success -> 105"});
  CHECK(changes_between({a(error(400))}, {a(error(401))}) ==
        std::vector<std::string>{"SVC.A/1/get  error: 400 -> 401"});
  CHECK(changes_between({a(fine)}, {a(error(105)), a(fine)}).empty());
  for (const int code : {102, 103, 104}) {
    CHECK(changes_between({a(fine)}, {a(error(code))}) ==
          std::vector<std::string>{"SVC.A/1/get  gone (error " + std::to_string(code) + ")"});
  }
  // A change in API.Info and the errors that follow are one change.
  CHECK(changes_between({info("all", apis), a(fine)}, {info("all", R"({"SVC.B":{"minVersion":1,"maxVersion":1}})"),
                                                       a(error(102))}) == std::vector<std::string>{"SVC.A  gone"});
  CHECK(changes_between(
            {info("all", apis), a(fine)},
            {info("all", R"({"SVC.A":{"minVersion":2,"maxVersion":3},"SVC.B":{"minVersion":1,"maxVersion":1}})"),
             a(error(104))}) == std::vector<std::string>{"SVC.A  versions 1-3 -> versions 2-3"});
  // An API.Info that was not requested for all APIs does not show that others are missing.
  CHECK(changes_between({info("SVC.A", R"({"SVC.A":{"minVersion":1,"maxVersion":3}})"), a(fine)},
                        {info("SVC.B", R"({"SVC.B":{"minVersion":1,"maxVersion":1}})"), a(fine)})
            .empty());
  std::vector<std::string> unknown;
  CHECK(changes_between({a(fine), record("SVC.C/2/list", fine)}, {a(fine)}, &unknown).empty());
  CHECK(unknown == std::vector<std::string>{"SVC.C/2/list"});
}

TEST_CASE("forecast: reads a saved API.Info in place of a recording") {
  const auto before = cassette_with({record("SVC.A/1/get", success("{}")), record("SVC.B/1/get", success("{}"))});
  const auto comparison = compare_firmwares(responses_of(cassettes::CassetteReader(before.path())),
                                            responses_of_info(success(R"({"SVC.A":{"minVersion":2,"maxVersion":3}})")));
  REQUIRE(comparison.changes.size() == 2);
  CHECK(comparison.changes[0].call == "SVC.A");
  CHECK(comparison.changes[0].error_calls == std::map<std::string, int>{{"A/1/*", 104}});
  CHECK(comparison.changes[1].call == "SVC.B");
  CHECK(comparison.changes[1].error_calls == std::map<std::string, int>{{"B/*/*", 102}});
  for (const char* const text : {"", "[]", "{}", "7", R"({"a":1})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(responses_of_info(text), std::invalid_argument);
  }
}

TEST_CASE("forecast: values never contain secrets or private data") {
  const std::string sid = "sid-Fixture_1-0123456789abcdef";
  const auto login = [&](const std::string& data) {
    return record("SVC.API.Auth/6/login?account=ann&passwd=Zx9-fixture-pass!7&format=sid", success(data));
  };
  const auto before = cassette_with({login(R"({"sid":")" + sid + R"(","port":1})")});
  const auto after = cassette_with({login(R"({"session":1,"port":"5"})")});
  const auto comparison = compare_firmwares(responses_of(cassettes::CassetteReader(before.path())),
                                            responses_of(cassettes::CassetteReader(after.path())));
  for (const FirmwareChange& change : comparison.changes) {
    if (change.path == "/data/sid") CHECK(change.values.empty());
    if (change.path == "/data/port") CHECK(change.values == "1 -> \"5\"");
  }
  CHECK(comparison.changes.size() == 3);
}

TEST_CASE("forecast: pseudonyms hide the values at private places") {
  const auto of = [](const std::string& data) {
    return cassette_with({record("SVC.DSM.Info/2/getinfo", success(data))});
  };
  const auto before = of(R"({"serial":"18A0PDN900001","ram":2048})"), after = of(R"({"serial":7,"ram":"2048"})");
  const auto compared = [&](scrubbers::PrivateProfile* profile) {
    return compare_firmwares(responses_of(cassettes::CassetteReader(before.path()), profile),
                             responses_of(cassettes::CassetteReader(after.path()), profile));
  };
  FirmwareComparison comparison = compared(nullptr);
  REQUIRE(comparison.changes.size() == 2);
  CHECK(comparison.changes[1].values == R"("18A0PDN900001" -> 7)");
  scrubbers::PrivateProfile profile({});
  hide_private_values(comparison, compared(&profile));
  CHECK(comparison.changes[0].values == R"(2048 -> "2048")");
  CHECK(comparison.changes[1].values.empty());
}

TEST_CASE("forecast: converts a value to another type") {
  using nlohmann::json;
  CHECK(converted(500, "string") == json("500"));
  CHECK(converted(true, "string") == json("true"));
  CHECK(converted("12", "number") == json(12));
  CHECK(converted("1.5", "number") == json(1.5));
  CHECK(converted("twelve", "number").is_null());
  CHECK(converted(true, "number") == json(1));
  CHECK(converted("yes", "boolean") == json(true));
  CHECK(converted(0, "boolean") == json(false));
  CHECK(converted(json::array({1}), "object").is_null());
}

TEST_CASE("breakage: each failing test gets its own smallest sets, confirmed by three runs") {
  std::map<ElementSet, int> runs;
  const auto run = [&](std::span<const ElementSet> sets) {
    std::vector<ChangedRun> out;
    for (const ElementSet& set : sets) {
      ++runs[set];
      const auto has = [&](std::size_t change) { return std::binary_search(set.begin(), set.end(), change); };
      ChangedRun& one = out.emplace_back();
      one.has_tests = true;
      if (has(7)) one.failing.insert({"a", "b"});
      if (has(20) && has(40)) one.failing.insert("b");
      if (has(99)) one.failing.insert("c");
      one.passes = one.failing.empty();
    }
    return out;
  };
  BreakageSearch search(run, {});
  const Breakage found = search.find(all_elements(200));
  CHECK(found.is_complete);
  CHECK_FALSE(found.is_flaky);
  std::map<ElementSet, std::set<std::string>> sets;
  for (const BreakingSet& set : found.sets) sets[set.changes] = set.tests;
  CHECK(sets == std::map<ElementSet, std::set<std::string>>{{{7}, {"a", "b"}}, {{20, 40}, {"b"}}, {{99}, {"c"}}});
  CHECK(runs[{7}] == 4);

  BreakageOptions one;
  one.most = 1;
  CHECK(BreakageSearch(run, one).find(all_elements(200)).sets.size() == 1);
  CHECK_FALSE(BreakageSearch(run, one).find(all_elements(200)).is_complete);
}

TEST_CASE("breakage: a set that does not fail each time is not reported") {
  int runs = 0;
  const auto run = [&](std::span<const ElementSet> sets) {
    std::vector<ChangedRun> out;
    for (const ElementSet& set : sets) out.emplace_back().passes = set.empty() || ++runs % 2 == 0;
    return out;
  };
  const Breakage found = BreakageSearch(run, {}).find(all_elements(20));
  CHECK(found.is_flaky);
  CHECK(found.sets.empty());
  CHECK_FALSE(found.is_complete);
}

TEST_CASE("capsule: lists the elements of a body except the envelope's result") {
  const std::string body = R"({"data":{"a":[1,{"b":2}],"c":"x"},"error":{"code":1,"errors":[]},"success":true})";
  const auto count = [&](std::size_t depth) { return removable_places(body, depth).size(); };
  CHECK(depth_of(body) == 4);
  CHECK(count(1) == 1);
  CHECK(count(2) == 3);
  CHECK(count(3) == 2);
  CHECK(count(4) == 1);
  CHECK(depth_of("no JSON") == 0);
  CHECK(removable_places("[1", 1).empty());
  const std::string parts =
      R"({"data":{"result":[{"api":"A","success":true,"data":1},{"error":{"code":2},"success":false}]},"success":true})";
  CHECK(removable_places(parts, 4).size() == 2);
  CHECK(removable_places(parts, 5).empty());

  struct Case {
    const char* body;
    std::vector<BodyPlace> places;
    const char* rest;
  };
  const std::vector<Case> cases = {{R"({"a":1,"b":2,"c":3})", {{"a"}, {"c"}}, R"({"b":2})"},
                                   {R"({ "a": 1, "b": 2 })", {{"b"}}, R"({ "a": 1 })"},
                                   {R"({ "a": 1, "b": 2 })", {{"a"}}, R"({ "b": 2 })"},
                                   {R"([1, [2, 3], 4])", {{"0"}, {"2"}}, R"([ [2, 3]])"},
                                   {R"({"a":[1,2],"b":[3,4]})", {{"a", "0"}, {"b", "1"}}, R"({"a":[2],"b":[3]})"},
                                   {R"({"a":{"x":",]}"}})", {{"a", "x"}}, R"({"a":{}})"}};
  for (const Case& one : cases) {
    CAPTURE(one.body);
    CHECK(without_places(one.body, one.places) == one.rest);
  }
  CHECK(long_strings(R"({"a":"0123456789","b":"{{session.id}} and more","c":"x"})", 5) ==
        std::vector<BodyPlace>{{"a"}});
  CHECK(with_short_strings(R"({"a":"012\"3456789"})", {{"a"}}, 4) == R"({"a":"012\""})");
  CHECK(with_short_strings("{\"a\":\"0\u00e4\u00e4\"}", {{"a"}}, 2) == R"({"a":"0"})");
}

}  // namespace tapedeck::tools
