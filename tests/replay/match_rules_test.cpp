#include "replay/match_rules.h"

#include <catch2/catch.hpp>

#include "base/toml_file.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::record;

std::string failure_of(std::string_view text) {
  ReplayOptions options;
  try {
    apply_match_rules(base::TomlFile::parse(text, "tapedeck.toml"), options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("replay: match rules of tapedeck.toml apply only to their API and method") {
  const std::string share = R"({"data":"share","success":true})";
  const std::string user = R"({"data":"user","success":true})";
  const auto cassette =
      cassette_with({record("SVC.Core.Share/1/list?limit=10", share), record("SVC.Core.User/1/list?limit=10", user)});
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  const auto file = base::TomlFile::parse(
      "[[replay.match]]\napi = \"Core.Share\"\nmethod = \"List\"\nignore = [\"limit\"]\n"
      "[[replay.match]]\napi = \"Core.User\"\nany_version = true\n[scrub]\ndisable = []\n",
      "tapedeck.toml");
  apply_match_rules(file, options);
  ReplayHandler handler(options, 1);
  CHECK(call(handler, "SVC.Core.Share/1/list?limit=20").body == share);
  CHECK(call(handler, "SVC.Core.Share/1/list?limit=20").headers.first("X-Tapedeck-Match") == "ignored=limit");
  CHECK(outcome(call(handler, "SVC.Core.Share/2/list?limit=10")) == "miss");
  CHECK(outcome(call(handler, "SVC.Core.User/1/list?limit=20")) == "miss");
  CHECK(call(handler, "SVC.Core.User/2/list?limit=10").body == user);
}

TEST_CASE("replay: an invalid match rule is reported with file and line") {
  struct Row {
    std::string text, expected;
  };
  const std::vector<Row> rows = {
      {"", ""},
      {"[[replay.match]]\nignore = [\"a\"]\n", ""},
      {"[[replay.match]]\nany_version = true\nignore = [1]\n", "tapedeck.toml:3: `ignore` must be a string in quotes"},
      {"[[replay.match]]\napi = \"Core.Share\"\n",
       "tapedeck.toml:1: missing `ignore`, `bind`, `any_version`, or `at_end`"},
      {"[[replay.match]]\nany = true\n",
       "tapedeck.toml:2: unknown key `any` in a match rule; known keys: api, method, ignore, bind, any_version, "
       "at_end"},
      {"[replay]\nmatch = 1\n", "tapedeck.toml:2: must be written as [[replay.match]]"},
      {"[replay]\nmatches = 1\n",
       "tapedeck.toml:2: unknown key `matches` in `replay`; known keys: match, match_headers"},
      {"replay = 1\n", "tapedeck.toml:1: `replay` must be a table"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(failure_of(row.text) == row.expected);
  }
  CHECK(failure_of("[[replay.match\n").starts_with("tapedeck.toml:1: "));
}

}  // namespace
}  // namespace tapedeck::replay
