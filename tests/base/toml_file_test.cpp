#include "base/toml_file.h"

#include <catch2/catch.hpp>

using namespace tapedeck::base;

TEST_CASE("toml file: what nobody reads is an error with its line") {
  const std::pair<std::string, std::string> rows[] = {
      {"[scrub]\n[replay]\n", ""},
      {"", ""},
      {"[scrub]\n\n[scrb]\n", "f.toml:3: unknown key `scrb` in the file; known keys: private, replay, scrub"},
      {"\n[[replays.match]]\nignore = [\"a\"]\n",
       "f.toml:2: unknown key `replays` in the file; known keys: private, replay, scrub"},
      {"disable = [\"json-password\"]\n",
       "f.toml:1: unknown key `disable` in the file; known keys: private, replay, scrub"},
      {"[Scrub]\n", "f.toml:1: unknown key `Scrub` in the file; known keys: private, replay, scrub"},
  };
  for (const auto& [text, message] : rows) {
    CAPTURE(text);
    if (message.empty()) {
      CHECK_NOTHROW(TomlFile::parse(text, "f.toml"));
    } else {
      CHECK_THROWS_WITH(TomlFile::parse(text, "f.toml"), message);
    }
  }
  const std::string_view known[] = {"overlay"};
  CHECK_NOTHROW(TomlFile::parse("[[overlay]]\n", "f.toml", known));
  CHECK_THROWS_WITH(TomlFile::parse("[scrub]\n", "f.toml", known),
                    "f.toml:1: unknown key `scrub` in the file; known keys: overlay");
  CHECK_THROWS_WITH(TomlFile::read("/nonexistent/f.toml"), "/nonexistent/f.toml: cannot read the file");
  CHECK_THROWS_WITH(TomlFile::read("/proc"), "/proc: cannot read: this is a folder");
  CHECK_THROWS_WITH(TomlFile::parse("a = ", "f.toml"), Catch::StartsWith("f.toml:1: "));
}
