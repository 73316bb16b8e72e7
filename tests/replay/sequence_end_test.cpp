// The end of a sequence, and the recorded time of responses.

#include <catch2/catch.hpp>
#include <fstream>

#include "base/toml_file.h"
#include "replay/match_rules.h"
#include "replay/overlays/overlay_store.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::ok;
using testing::record;

std::string progress(int percent) { return R"({"data":{"n":)" + std::to_string(percent) + R"(},"success":true})"; }

/// Records a read that is polled before and after a write.
testing::TestCassette polled_around_a_write() {
  return cassette_with({record("SVC.A/1/get", progress(1)), record("SVC.A/1/get", progress(2)),
                        record("SVC.A/1/set", ok), record("SVC.A/1/get", progress(3)),
                        record("SVC.A/1/get", progress(4)), record("SVC.B/1/get", progress(7)),
                        record("SVC.B/1/get", progress(7))});
}

/// Returns the numbers in `count` responses to a read.
std::string polls(ReplayHandler& handler, int count, const std::string& api = "SVC.A") {
  std::string numbers;
  for (int i = 0; i < count; ++i) {
    const std::string body = call(handler, api + "/1/get").body;
    numbers += body.find("\"n\":") == std::string::npos ? '-' : body[body.find("\"n\":") + 4];
  }
  return numbers;
}

TEST_CASE("replay: --at-end loop repeats a read's responses between the last write and the next") {
  const auto cassette = polled_around_a_write();
  ReplayOptions options = playing(cassette);
  options.at_end = AtEnd::loop;
  ReplayHandler handler(std::move(options), 1);
  CHECK(polls(handler, 5) == "12121");
  CHECK(handler.stats().past_end == 0);
  for (int i = 0; i < 3; ++i) CHECK(call(handler, "SVC.A/1/set").body == ok);
  CHECK(polls(handler, 5) == "34343");
  CHECK(handler.stats().past_end == 2);
}

TEST_CASE("replay: at_end of a match rule applies only to its calls") {
  const auto cassette = polled_around_a_write();
  ReplayOptions options = playing(cassette);
  apply_match_rules(base::TomlFile::parse("[[replay.match]]\napi = \"A\"\nat_end = \"loop\"\n"
                                          "[[replay.match]]\napi = \"B\"\nmethod = \"get\"\nat_end = \"miss\"\n",
                                          "tapedeck.toml"),
                    options);
  ReplayHandler handler(std::move(options), 1);
  CHECK(polls(handler, 3) == "121");
  CHECK(polls(handler, 3, "SVC.B") == "77-");
}

TEST_CASE("replay: an invalid at_end of a rule is an error") {
  ReplayOptions options;
  const auto read = [&](const std::string& line) {
    apply_match_rules(base::TomlFile::parse("[[replay.match]]\napi = \"A\"\n" + line, "t.toml"), options);
  };
  CHECK_THROWS_WITH(read("at_end = \"never\""), "t.toml:3: `at_end` must be stick, loop, or miss");
  CHECK_THROWS_WITH(read(""), Catch::Contains("missing `ignore`, `bind`, `any_version`, or `at_end`"));
}

TEST_CASE("replay: counts and reports responses past the end of a sequence whose responses differ") {
  const auto cassette = polled_around_a_write();
  ReplayOptions options = playing(cassette);
  std::vector<std::string> notices;
  options.on_notice = [&](const Notice& notice) {
    if (notice.kind == Notice::Kind::past_end) notices.push_back(notice.text);
  };
  ReplayHandler handler(std::move(options), 1);
  CHECK(polls(handler, 4) == "1222");  // the write was not made, so this is not the end
  CHECK(handler.stats().past_end == 0);
  (void)call(handler, "SVC.A/1/set");
  CHECK(polls(handler, 4) == "3444");
  CHECK(handler.stats().past_end == 2);
  CHECK(polls(handler, 4, "SVC.B") == "7777");  // equal responses
  CHECK(handler.stats().past_end == 2);
  CHECK(notices == std::vector<std::string>{"SVC.A/1/get"});
}

std::string answers_played(const std::string& lines, int count, int* misses = nullptr) {
  const testing::TestFolder folder;
  const auto cassette = cassette_with({record("SVC.A/1/get", progress(9))});
  std::ofstream(folder.file("o.toml")) << "[[overlay]]\ncall = \"A/1/get\"\n" << lines;
  ReplayOptions options = playing(cassette);
  options.overlay_files = {folder.file("o.toml")};
  ReplayHandler handler(std::move(options), 1);
  std::string text = polls(handler, count);
  if (misses != nullptr) *misses = static_cast<int>(handler.stats().misses);
  return text;
}

TEST_CASE("overlays: `answers` are used one for each request") {
  const std::string three = "answers = [ { data = { n = 1 } }, { error = 407 }, { merge = { data = { n = 3 } } } ]\n";
  CHECK(answers_played(three, 5) == "1-333");
  CHECK(answers_played(three + "at_end = \"stick\"", 5) == "1-333");
  CHECK(answers_played(three + "at_end = \"loop\"", 7) == "1-31-31");
  CHECK(answers_played(three + "at_end = \"pass\"", 5) == "1-399");
  CHECK(answers_played(three + "times = 2", 4) == "1-99");
  CHECK(answers_played(three + "skip = 1", 4) == "91-3");
  CHECK(answers_played("[[overlay.answers]]\ndata = { n = 1 }\nstatus = 500\n[[overlay.answers]]\ndata = { n = 2 }", 3) == "122");
}

TEST_CASE("overlays: a skipped patch among `answers` does not count") {
  const std::string test =
      "answers = [ { patch = [ { op = \"test\", path = \"/data/n\", value = 1 } ] }, { data = { n = 5 } } ]";
  CHECK(answers_played(test, 3) == "999");
}

TEST_CASE("overlays: errors in `answers` name file and line") {
  const auto failure = [](const std::string& lines) -> std::string {
    try {
      (void)read_overlay_toml("[[overlay]]\ncall = \"A/1/get\"\n" + lines, "x.toml", "/");
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "none";
  };
  CHECK(failure("answers = 1") == "x.toml:3: `answers` must be a list with at least one response");
  CHECK(failure("answers = []") == "x.toml:3: `answers` must be a list with at least one response");
  CHECK(failure("answers = [ 1 ]").starts_with("x.toml:3: `answers` must be a list of responses"));
  CHECK(failure("answers = [ { times = 1 } ]").starts_with("x.toml:3: `answers` has a response with an unknown key `times`"));
  CHECK(failure("answers = [ { data = 1, error = 2 } ]") ==
        "x.toml:3: `error` and `data` cannot be used together: an overlay has one response");
  CHECK(failure("data = 1\nanswers = [ { data = 1 } ]") ==
        "x.toml:4: `answers` and `data` cannot be used together: an overlay has one response");
  CHECK(failure("error = 1\nat_end = \"loop\"") == "x.toml:4: `at_end` requires `answers`");
  CHECK(failure("answers = [ { error = 1 } ]\nat_end = \"never\"") == "x.toml:4: `at_end` must be stick, loop, or pass");
}

TEST_CASE("replay: only recorded responses have X-Tapedeck-Recorded-At") {
  const auto cassette = cassette_with({record("SVC.A/1/get", progress(1)).at(1'704'067'201'234'567, 1'704'067'202'000'000)});
  ReplayHandler handler(playing(cassette), 1);
  const auto time = [&](const http::Response& response) {
    return std::string(response.headers.first("X-Tapedeck-Recorded-At").value_or("none"));
  };
  CHECK(time(call(handler, "SVC.A/1/get")) == "2024-01-01T00:00:01.234Z");
  CHECK(time(call(handler, "SVC.A/1/get?_sid=another-one")) == "2024-01-01T00:00:01.234Z");
  CHECK(time(call(handler, "SVC.Core.Network/1/get")) == "none");
}

TEST_CASE("replay: the clock is the latest recorded time of the run and never decreases") {
  const auto at = [](testing::Recorded row, int second) {
    const std::int64_t us = testing::fixture_start_us + second * 1'000'000LL;
    return std::move(row).at(us, us + 10);
  };
  const auto cassette = cassette_with({at(record("SVC.A/1/get", progress(1)), 10), at(record("SVC.B/1/get", progress(1)), 20),
                                       at(record("SVC.C/1/get", progress(1)).in_scope("s"), 40),
                                       at(record("SVC.D/1/get", progress(1)).in_scope("s"), 50)});
  ReplayHandler handler(playing(cassette), 1);
  const auto seconds = [&](const std::optional<std::string>& scope = std::nullopt) {
    const auto now = handler.clock_us(scope ? api::ScopeName::parse(*scope) : std::nullopt);
    return now ? (*now - testing::fixture_start_us) / 1'000'000 : -1;
  };
  CHECK(seconds() == 10);
  CHECK(seconds("s") == 40);
  CHECK(seconds("other") == 10);
  (void)call(handler, "SVC.B/1/get");
  CHECK(seconds() == 20);
  (void)call(handler, "SVC.A/1/get");
  CHECK(seconds() == 20);
  CHECK(seconds("s") == 40);
  (void)call(handler, "SVC.D/1/get", {{"X-Tapedeck-Scope", "s"}});
  CHECK(seconds("s") == 50);
  CHECK(seconds("s#2") == 40);
  handler.scopes().reset();
  CHECK(seconds() == 10);
  CHECK(seconds("s") == 40);
  ReplayHandler empty(ReplayOptions(), 1);
  CHECK_FALSE(empty.clock_us(std::nullopt));
}

}  // namespace
}  // namespace tapedeck::replay
