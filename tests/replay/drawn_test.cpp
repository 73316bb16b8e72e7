// Values that only clients draw (docs/matching.md, "Looser matching").
#include <catch2/catch.hpp>

#include "cassettes/read/drawn_parameters.h"
#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::record;
using testing::Recorded;

// Milliseconds since 1970 of the fixture's times in hex: 2024-01-01.
constexpr std::string_view first = "18cc251f400", second = "18cc251f7e8", later = "18cc2a0b3c1";

Recorded poll(std::string_view id, std::string_view response) {
  return record("SVC.Chat.Post/1/list?channel=4&conn_id=" + std::string(id), data(response));
}

std::vector<std::string> drawn_in(const testing::TestCassette& cassette) {
  const cassettes::CassetteReader reader(cassette.path());
  std::vector<std::string> names;
  for (const auto& one : cassettes::drawn_parameters({&reader})) names.push_back(one.api + ":" + one.name);
  return names;
}

TEST_CASE("drawn values: --ignore auto accepts what is proposed, and nothing else") {
  const auto cassette = cassette_with({poll(first, "one"), poll(first, "two"), poll(second, "one"), poll(second, "two"),
                                       record("SVC.Core.Share/1/list?limit=10", data("ten"))});
  CHECK(drawn_in(cassette) == std::vector<std::string>{"Chat.Post:conn_id"});
  const std::string asked = "SVC.Chat.Post/1/list?channel=4&conn_id=" + std::string(later);
  ReplayHandler plain(playing(cassette), 1);
  CHECK(outcome(call(plain, asked)) == "miss");
  ReplayOptions options = playing(cassette);
  options.ignore_params = {"auto"};
  ReplayHandler handler(options, 1);
  CHECK(call(handler, asked).body == data("one"));
  CHECK(call(handler, asked).body == data("two"));
  CHECK(call(handler, asked).headers.first("X-Tapedeck-Match") == "ignored=conn_id");
  CHECK(outcome(call(handler, "SVC.Chat.Post/1/list?channel=5&conn_id=" + std::string(later))) == "miss");
  CHECK(outcome(call(handler, "SVC.Core.Share/1/list?limit=20")) == "miss");
}

TEST_CASE("drawn values: which are proposed") {
  struct Row {
    std::string_view what, value, other;
    bool is_proposed;
  };
  const auto row = GENERATE(values<Row>({
      {"time in hex", first, second, true},
      {"UUID", "0d8f0a52-6c0f-4a43-9d3c-6f1f2f3a9b11", "5b1c7d1e-2f60-4b8e-8f5e-0c9d7e6a1f22", true},
      {"hex digits", "9f86d081884c7d65", "9a2feaa0c55ad015", true},
      {"letters of both cases", "kT7xLq2WmZ9vRb4N", "Yc3PfJ8sHd6GuA5e", true},
      {"time in milliseconds", "1704067201000", "1704067202000", true},
      {"number", "10", "20", false},
      {"word", "music", "photo", false},
      {"path", "/music/2024-live-1", "/music/2023-live-2", false},
      {"time in another year", "1604067201000", "1604067202000", false},
      {"empty value", "", first, false},
  }));
  CAPTURE(row.what);
  CHECK(drawn_in(cassette_with({poll(row.value, "same"), poll(row.other, "same")})).size() ==
        (row.is_proposed ? 1 : 0));
}

TEST_CASE("drawn values: what a response depends on, or contains, is not proposed") {
  CHECK(drawn_in(cassette_with({poll(first, "one"), poll(second, "two")})).empty());
  CHECK(drawn_in(cassette_with({poll(first, "one"), record("SVC.Chat/1/list", data(first))})).empty());
  // A call may be about a time. Only equal responses show that it is not.
  CHECK(drawn_in(cassette_with({poll("1704067201000", "one")})).empty());
  CHECK(drawn_in(cassette_with({poll(first, "one")})).size() == 1);
  // In one request, the value is something else.
  CHECK(drawn_in(cassette_with({poll(first, "same"), poll("general", "same")})).empty());
}

TEST_CASE("drawn values: several cassettes are read together") {
  const auto one = cassette_with({poll(first, "one")}), two = cassette_with({poll(second, "two")});
  ReplayOptions options;
  options.cassettes = {one.path(), two.path()};
  options.ignore_params = {"auto"};
  ReplayHandler handler(options, 1);
  CHECK(outcome(call(handler, "SVC.Chat.Post/1/list?channel=4&conn_id=" + std::string(later))) == "miss");
}

}  // namespace
}  // namespace tapedeck::replay
