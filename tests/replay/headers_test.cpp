// Headers that tell requests apart (docs/matching.md, "Headers").
#include <catch2/catch.hpp>

#include "base/toml_file.h"
#include "replay/match_rules.h"
#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::record;
using testing::Recorded;

constexpr std::string_view list = "SVC.Core.Share/1/list", info = "SVC.Core.System/1/info";

http::Response ask_with(ReplayHandler& handler, std::string_view text, std::string_view name, std::string_view value) {
  http::Headers headers;
  if (!name.empty()) headers.add(name, value);
  return call(handler, text, std::move(headers));
}

Recorded with(std::string_view name, std::string_view value, std::string_view text, std::string_view response) {
  return record(text, data(response)).with_request_header(name, value);
}

std::string match(const http::Response& response) {
  return std::string(response.headers.first("X-Tapedeck-Match").value_or(""));
}

void check_recorded(const http::Response& response, std::string_view text) {
  CHECK(outcome(response) == "recorded");
  CHECK(response.body == data(text));
  CHECK(match(response).empty());
}

void check_miss(const http::Response& response, std::string_view name) {
  CHECK(outcome(response) == "miss");
  CHECK(response.body.find("another value of the header " + std::string(name)) != std::string::npos);
}

/// Recordings of one call with two values of a header, one of which was sent twice.
std::vector<Recorded> two_values(std::string_view name, std::string_view a, std::string_view b) {
  return {with(name, a, list, "first of a"), with(name, b, list, "of b"), with(name, a, list, "second of a")};
}

void check_two_values(ReplayHandler& handler, std::string_view name, std::string_view a, std::string_view b) {
  check_recorded(ask_with(handler, list, name, b), "of b");
  check_recorded(ask_with(handler, list, name, a), "first of a");
  check_recorded(ask_with(handler, list, name, b), "of b");
  check_recorded(ask_with(handler, list, name, a), "second of a");
}

TEST_CASE("headers: known and learned ones tell requests apart, in any order and spelling of their names") {
  const std::string_view name = GENERATE("X-SYNO-SHARING", "x-syno-tunnel-route", "X-Tenant", "Api-Version", "Node");
  const auto [a, b, other] = GENERATE(table<std::string, std::string, std::string>({
      {"alpha", "beta", "gamma"},
      {"pKx7Lr2Wq", "Zt9Bc4MnV", "Hd3Fs8JkY"},
      {"1", "2", "3"},
      {"a<b%", "a<c%", "a%3Cb%25"},
  }));
  CAPTURE(name, a);
  const auto cassette = cassette_with(two_values(name, a, b));
  ReplayHandler handler(playing(cassette), 1);
  check_two_values(handler, name, a, b);
  ReplayHandler again(playing(cassette), 1);
  check_two_values(again, base::fold(name), a, b);
  check_miss(ask_with(handler, list, name, other), base::fold(name));
  check_miss(ask_with(handler, list, "", ""), base::fold(name));
}

TEST_CASE("headers: a known header that was never recorded is a miss, and so is a request without a recorded one") {
  const auto cassette = cassette_with({record(list, data("plain")), with("X-SYNO-SHARING", "one", info, "shared")});
  ReplayHandler handler(playing(cassette), 1);
  check_recorded(ask_with(handler, list, "", ""), "plain");
  check_recorded(ask_with(handler, info, "X-Syno-Sharing", "one"), "shared");
  check_miss(ask_with(handler, list, "X-SYNO-SHARING", "one"), "x-syno-sharing");
  check_miss(ask_with(handler, list, "x-syno-tunnel-route", "one"), "x-syno-tunnel-route");
  check_miss(ask_with(handler, info, "", ""), "x-syno-sharing");
}

TEST_CASE("headers: a learned header counts for all calls") {
  auto rows = two_values("X-Tenant", "a", "b");
  rows.push_back(with("X-Tenant", "a", info, "of a"));
  const auto cassette = cassette_with(std::move(rows));
  ReplayHandler handler(playing(cassette), 1);
  check_recorded(ask_with(handler, info, "X-Tenant", "a"), "of a");
  check_miss(ask_with(handler, info, "X-Tenant", "b"), "x-tenant");
}

TEST_CASE("headers: those that every client changes never tell requests apart") {
  const std::string_view name =
      GENERATE("User-Agent", "Accept", "Accept-Language", "Authorization", "Connection", "Content-Language", "Cookie",
               "Date", "If-Match", "Origin", "Referer", "Sec-Fetch-Site", "X-Forwarded-For", "X-Requested-With",
               "X-SYNO-TOKEN", "X-SYNO-HASH", "Host", "Cache-Control", "X-Request-ID", "traceparent");
  CAPTURE(name);
  const auto cassette = cassette_with(two_values(name, "a", "b"));
  ReplayHandler handler(playing(cassette), 1);
  CHECK(ask_with(handler, list, name, "c").body == data("first of a"));
  CHECK(ask_with(handler, list, name, "a").body == data("of b"));
  ReplayOptions options;
  CHECK_FALSE(wrong_match_header(std::string(name)).empty());
}

TEST_CASE("headers: values that do not tell responses apart are not learned") {
  std::vector<Recorded> rows;
  SECTION("the responses are equal") {
    rows = {with("X-A", "a", list, "same"), with("X-A", "b", list, "same"), with("X-A", "a", list, "same")};
  }
  SECTION("each value was sent once") {
    rows = {with("X-A", "a", list, "same"), with("X-A", "b", list, "other"), with("X-A", "c", list, "third")};
  }
  SECTION("the calls differ") {
    rows = {with("X-A", "a", list, "same"), with("X-A", "b", info, "other"), with("X-A", "a", list, "same")};
  }
  SECTION("some requests lack the header") {
    rows = {with("X-A", "a", list, "same"), record(list, data("other")), with("X-A", "a", list, "same")};
  }
  SECTION("the values are times, and two requests were sent in one second") {
    rows = {with("X-A", "1704067201", list, "same"), with("X-A", "1704067201", list, "same"),
            with("X-A", "1704067202", list, "third")};
  }
  SECTION("each session drew an ID") {
    rows = {testing::login("ann", sid_a),
            record(list, data("same"), sid_a).with_request_header("X-A", "0d8f0a52-6c0f-4a43-9d3c-6f1f2f3a9b11"),
            record(list, data("same"), sid_a).with_request_header("X-A", "0d8f0a52-6c0f-4a43-9d3c-6f1f2f3a9b11"),
            testing::login("ann", sid_b),
            record(list, data("third"), sid_b).with_request_header("X-A", "5b1c7d1e-2f60-4b8e-8f5e-0c9d7e6a1f22")};
  }
  const auto cassette = cassette_with(std::move(rows));
  ReplayHandler handler(playing(cassette), 1);
  CHECK(outcome(ask_with(handler, list, "X-A", "new")) == "recorded");
}

TEST_CASE("headers: IDs that one session sends are learned") {
  constexpr std::string_view one = "0d8f0a52-6c0f-4a43-9d3c-6f1f2f3a9b11", two = "5b1c7d1e-2f60-4b8e-8f5e-0c9d7e6a1f22";
  const auto cassette = cassette_with(two_values("X-Node", one, two));
  ReplayHandler handler(playing(cassette), 1);
  check_two_values(handler, "X-Node", one, two);
}

TEST_CASE("headers: --match-header and its form in tapedeck.toml add a header") {
  const auto cassette = cassette_with({with("X-Zone", "a", list, "of a"), record(list, data("without"))});
  ReplayOptions options = playing(cassette);
  SECTION("option") { options.match_headers = {"x-ZONE"}; }
  SECTION("file") {
    apply_match_rules(base::TomlFile::parse("[replay]\nmatch_headers = [\"X-Zone\"]\n", "t.toml"), options);
  }
  ReplayHandler handler(options, 1);
  check_recorded(ask_with(handler, list, "", ""), "without");
  check_recorded(ask_with(handler, list, "X-Zone", "a"), "of a");
  check_miss(ask_with(handler, list, "X-Zone", "b"), "x-zone");
  CHECK_THROWS_AS(
      apply_match_rules(base::TomlFile::parse("[replay]\nmatch_headers = [\"Cookie\"]\n", "t.toml"), options),
      std::invalid_argument);
  CHECK_THROWS_AS(apply_match_rules(base::TomlFile::parse("[replay]\nmatch_headers = [\"a b\"]\n", "t.toml"), options),
                  std::invalid_argument);
}

TEST_CASE("headers: several cassettes are read together") {
  const auto first = cassette_with({with("X-Tenant", "a", list, "of a"), with("X-Tenant", "a", info, "info of a")});
  const auto second = cassette_with({with("X-Tenant", "b", list, "of b")});
  ReplayOptions options;
  options.cassettes = {first.path(), second.path()};
  ReplayHandler handler(options, 1);
  for (int i = 0; i < 3; ++i) {
    check_recorded(ask_with(handler, list, "X-Tenant", "b"), "of b");
    check_recorded(ask_with(handler, list, "X-Tenant", "a"), "of a");
  }
  check_miss(ask_with(handler, info, "X-Tenant", "b"), "x-tenant");
  // Alone, neither of them shows that the header matters.
  ReplayHandler alone(playing(first), 1);
  CHECK(ask_with(alone, list, "X-Tenant", "b").body == data("of a"));
}

TEST_CASE("headers: each value has its own sequence, takes, scopes, writes, and parts of compounds") {
  SECTION("the newest take of the value") {
    auto cassette = cassette_with(two_values("X-Tenant", "a", "b"));
    cassettes::Take take = testing::fixture_take();
    take.started_us += 3'600'000'000;
    testing::record_take(cassette.path(), {with("X-Tenant", "b", list, "newer of b")}, take);
    ReplayHandler handler(playing(cassette), 1);
    check_recorded(ask_with(handler, list, "X-Tenant", "b"), "newer of b");
    check_recorded(ask_with(handler, list, "X-Tenant", "a"), "first of a");
  }
  SECTION("scopes") {
    std::vector<Recorded> rows;
    for (Recorded& row : two_values("X-Tenant", "a", "b")) rows.push_back(std::move(row).in_scope("s"));
    const auto cassette = cassette_with(std::move(rows));
    ReplayHandler handler(playing(cassette), 1);
    http::Headers headers{{"X-Tapedeck-Scope", "s"}, {"X-Tenant", "b"}};
    CHECK(call(handler, list, headers).body == data("of b"));
    headers.set("X-Tenant", "a");
    CHECK(call(handler, list, headers).body == data("first of a"));
    headers.set("X-Tenant", "c");
    CHECK(outcome(call(handler, list, headers)) == "miss");
  }
  SECTION("a read does not pass a write with another value") {
    auto rows = two_values("X-Tenant", "a", "b");
    rows.insert(rows.begin() + 2, with("X-Tenant", "b", "SVC.Core.Share/1/create?name=x", "created"));
    const auto cassette = cassette_with(std::move(rows));
    ReplayHandler handler(playing(cassette), 1);
    check_recorded(ask_with(handler, list, "X-Tenant", "a"), "first of a");
    check_recorded(ask_with(handler, list, "X-Tenant", "a"), "first of a");
    check_recorded(ask_with(handler, "SVC.Core.Share/1/create?name=x", "X-Tenant", "b"), "created");
    check_recorded(ask_with(handler, list, "X-Tenant", "a"), "second of a");
  }
  SECTION("--ignore") {
    auto rows = two_values("X-Tenant", "a", "b");
    rows.push_back(with("X-Tenant", "b", "SVC.Core.Share/1/list?limit=1", "limited b"));
    const auto cassette = cassette_with(std::move(rows));
    ReplayOptions options = playing(cassette);
    options.ignore_params = {"limit"};
    ReplayHandler handler(options, 1);
    const std::string other = "SVC.Core.Share/1/list?limit=2";
    CHECK(ask_with(handler, other, "X-Tenant", "a").body == data("first of a"));
    CHECK(ask_with(handler, other, "X-Tenant", "b").body == data("of b"));
    CHECK(ask_with(handler, other, "X-Tenant", "b").body == data("limited b"));
    CHECK(outcome(ask_with(handler, other, "X-Tenant", "c")) == "miss");
  }
  SECTION("compounds") {
    const std::string compound =
        R"(SVC.Entry.Request/1/request?mode="sequential"&compound=[{"api":"SVC.A","method":"get","version":1}])";
    const auto response = [](std::string_view text) {
      return R"({"data":{"has_fail":false,"result":[{"api":"SVC.A","data":")" + std::string(text) +
             R"(","method":"get","success":true,"version":1}]},"success":true})";
    };
    const auto cassette = cassette_with({record(compound, response("a")).with_request_header("X-Tenant", "a"),
                                         record(compound, response("b")).with_request_header("X-Tenant", "b"),
                                         record(compound, response("a")).with_request_header("X-Tenant", "a")});
    ReplayHandler handler(playing(cassette), 1);
    CHECK(ask_with(handler, compound, "X-Tenant", "b").body == response("b"));
    CHECK(ask_with(handler, "SVC.A/1/get", "X-Tenant", "b").body == data("b"));
    CHECK(ask_with(handler, "SVC.A/1/get", "X-Tenant", "a").body == data("a"));
    CHECK(outcome(ask_with(handler, "SVC.A/1/get", "X-Tenant", "c")) == "miss");
  }
}

TEST_CASE("headers: an error of one value is replayed although another value succeeded later") {
  const auto cassette = cassette_with({testing::login("ann", sid_a),
                                       record(list, testing::error(105), sid_a).with_request_header("X-Tenant", "a"),
                                       record(list, data("of b"), sid_a).with_request_header("X-Tenant", "b"),
                                       record(list, data("of b"), sid_a).with_request_header("X-Tenant", "b")});
  ReplayHandler handler(playing(cassette), 1);
  const std::string text = std::string(list) + "?_sid=" + log_in(handler, "ann");
  CHECK(ask_with(handler, text, "X-Tenant", "a").body == testing::error(105));
  CHECK(ask_with(handler, text, "X-Tenant", "b").body == data("of b"));
}

TEST_CASE("headers: a header with the session's own ID matches in every session") {
  std::vector<Recorded> rows;
  for (const std::string_view sid : {sid_a, sid_b}) {
    rows.push_back(testing::login("ann", sid));
    rows.push_back(record(list, data("of ann"), sid).with_request_header("X-Session", "id=" + std::string(sid)));
  }
  const auto cassette = cassette_with(std::move(rows));
  ReplayOptions options = playing(cassette);
  options.match_headers = {"X-Session"};
  ReplayHandler handler(options, 1);
  for (int i = 0; i < 3; ++i) {
    const std::string sid = log_in(handler, "ann");
    check_recorded(ask_with(handler, std::string(list) + "?_sid=" + sid, "X-Session", "id=" + sid), "of ann");
  }
}

TEST_CASE("headers: secrets are not stored, and tell requests apart if they are random") {
  const std::string_view name = GENERATE("X-Api-Key", "X-Node");
  constexpr std::string_view one = "qT5xLr2Wm9Zv4RbN7kPc", two = "hB8dYs3Gj6Fu1AeM0oVi", other = "nC2wXk9Lp4Tz7QrE5yHs";
  const auto cassette = cassette_with(two_values(name, one, two));
  cassettes::CassetteReader(cassette.path()).each([&](const cassettes::FullInteraction& full) {
    CHECK(full.record.request.headers.first(name) == "<TOKEN>");
    return true;
  });
  ReplayHandler handler(playing(cassette), 1);
  check_two_values(handler, name, one, two);
  check_miss(ask_with(handler, list, name, other), base::fold(name));
}

TEST_CASE("headers: secrets that people may have chosen are ambiguous") {
  const auto cassette = cassette_with(two_values("X-Api-Key", "horse-battery", "correct-staple"));
  cassettes::CassetteReader(cassette.path()).each([](const cassettes::FullInteraction& full) {
    CHECK(full.record.request.headers.first("X-Api-Key") == "<TOKEN>");
    return true;
  });
  ReplayHandler handler(playing(cassette), 1);
  const http::Response response = ask_with(handler, list, "X-Api-Key", "horse-battery");
  CHECK(outcome(response) == "miss");
  CHECK(match(response) == "ambiguous");
  const auto single = cassette_with({with("X-Api-Key", "horse-battery", list, "of one")});
  ReplayOptions options = playing(single);
  options.match_headers = {"X-Api-Key"};
  ReplayHandler alone(options, 1);
  CHECK(match(ask_with(alone, list, "X-Api-Key", "horse-battery")) == "redacted=x-api-key");
}

}  // namespace
}  // namespace tapedeck::replay
