// Several cassettes behind one server: the choice between them.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::record;

const std::string ten = "SVC.Core.Share/1/list?limit=10", twenty = "SVC.Core.Share/1/list?limit=20";

TEST_CASE("several cassettes: an exact key takes precedence over a looser match in any order") {
  const auto alike = cassette_with({record(ten, data("alike"))});
  const auto exact = cassette_with({record(twenty, data("exact"))});
  const auto later = cassette_with({record(twenty, data("later"))});
  ReplayOptions options;
  options.cassettes = {alike.path(), exact.path(), later.path()};
  options.ignore_params = {"limit"};
  ReplayHandler handler(options, 1);
  // The first response finds the cassette, and the others remember it.
  for (int i = 0; i < 4; ++i) {
    CHECK(call(handler, twenty).body == data("exact"));
    CHECK(call(handler, "SVC.Core.Share/1/list?limit=30").body == data("alike"));
    CHECK(outcome(call(handler, "SVC.Core.Share/1/get?limit=30")) == "miss");
  }
}

TEST_CASE("several cassettes: after the end of a sequence, the next cassette with the key continues") {
  const auto other = cassette_with({record(ten, data("other"))});
  const auto first = cassette_with({record(twenty, data("first"))});
  const auto second = cassette_with({record(twenty, data("second"))});
  ReplayOptions options;
  options.cassettes = {other.path(), first.path(), second.path()};
  options.at_end = AtEnd::miss;
  ReplayHandler handler(options, 1);
  CHECK(call(handler, twenty).body == data("first"));
  CHECK(call(handler, twenty).body == data("second"));
  CHECK(outcome(call(handler, twenty)) == "miss");
}

TEST_CASE("several cassettes: a replaced cassette is searched again") {
  const auto replaced = cassette_with({record(ten, data("old"))});
  const auto behind = cassette_with({record(twenty, data("behind"))});
  const auto newer = cassette_with({record(twenty, data("newer"))});
  ReplayOptions options;
  options.cassettes = {replaced.path(), behind.path()};
  ReplayHandler handler(options, 1);
  // Repeated so that the cassette is remembered.
  for (int i = 0; i < 4; ++i) CHECK(call(handler, twenty).body == data("behind"));
  std::filesystem::rename(newer.path(), replaced.path());
  std::vector<std::string> told;
  for (int i = 0; i < 3 && told.empty(); ++i) told = handler.look_again();
  REQUIRE_FALSE(told.empty());
  CHECK(call(handler, twenty).body == data("newer"));
}

}  // namespace
}  // namespace tapedeck::replay
