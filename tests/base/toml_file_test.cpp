#include "base/toml_file.h"

#include <catch2/catch.hpp>

using namespace tapedeck::base;

namespace {

std::string times(std::size_t count, const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

/// Returns texts with `depth` levels of nesting.
std::vector<std::string> nested(std::size_t depth) {
  const std::string dotted = times(depth, "a.") + "b";
  const std::string below = "b = { " + dotted + " = 1 }\n";
  return {
      dotted + " = 1\n",
      times(depth, R"("a.[".)") + "b = 1\n",
      times(depth, "'a'.") + "b = 1\n",
      times(depth, "a . ") + "b = 1\n",
      "[" + dotted + "]\n",
      "[[" + dotted + "]]\n",
      "[scrub]\n\n[scrub." + dotted + "]\nx = 1\n",
      "a = " + times(depth, "[") + times(depth, "]") + "\n",
      "a = " + times(depth, "[\n") + times(depth, "]") + "\n",
      "a = " + times(depth, "{ a = ") + "1" + times(depth, " }") + "\n",
      "a = " + times(depth / 2, "[{ a = ") + "1" + times(depth / 2, " }]") + "\n",
      "a = " + times(depth / 10, "{ a.b.c.d.e.f.g.h.i = ") + "1" + times(depth / 10, " }") + "\n",
      "[[a]]\n" + below,
      // Texts that only look like the end of a string, a bracket, or a comment.
      R"(a = """)"
      "\n\"#\" ]]]\"\"\"\"\"\n" +
          below,
      R"(a = '''\''' # ")"
      "\n" +
          below,
      R"(a = "\"")"
      "\n" +
          below,
      R"(a = "" # ')"
      "\n" +
          below,
  };
}

}  // namespace

TEST_CASE("toml file: rejects a text that is nested too deeply before parsing it") {
  for (const std::string& text : nested(50'000)) {
    CAPTURE(text.substr(0, 60));
    CHECK_THROWS_WITH(parse_toml(text), "tables and lists are nested more than 128 deep");
    CHECK_THROWS_WITH(TomlFile::parse(text, "f.toml"), Catch::EndsWith("nested more than 128 deep"));
  }
  for (const std::string& text : nested(100)) {
    CAPTURE(text.substr(0, 60));
    CHECK_NOTHROW(parse_toml(text));
  }
  CHECK_THROWS_WITH(TomlFile::parse("\n\n[" + times(200, "a.") + "b]\n", "f.toml"), Catch::StartsWith("f.toml:3: "));
}

TEST_CASE("toml file: the number of values on one level does not count as depth") {
  std::string names;
  for (int i = 0; i < 1'000; ++i) names += "x" + std::to_string(i) + ".y.z = 1.5, ";
  for (const std::string& text : {
           "a = [" + times(1'000, "1.5, ") + "]\n",
           "a = [" + times(1'000, "[1.5], ") + "]\n",
           "a = { " + names + "last = 1 }\n",
           "a = \"" + times(1'000, "[{.") + "\"\n",
           "a = '''" + times(1'000, "[{.\n") + "'''\n",
           "# " + times(1'000, "[{.") + "\na = 1\n",
           times(1'000, "[[a.b.c]]\nx.y = 1.5\n"),
       }) {
    CAPTURE(text.substr(0, 60));
    CHECK_NOTHROW(parse_toml(text));
  }
}

TEST_CASE("toml file: an unknown name is an error with its line") {
  const std::pair<std::string, std::string> rows[] = {
      {"[scrub]\n[replay]\n", ""},
      {"", ""},
      {"[scrub]\n\n[scrb]\n", "f.toml:3: unknown key `scrb` in the file; known keys: private, replay, scrub"},
      {"\n[[replays.match]]\nignore = [\"a\"]\n",
       "f.toml:2: unknown key `replays` in the file; known keys: private, replay, scrub"},
      {"disable = [\"json-password\"]\n",
       "f.toml:1: unknown key `disable` in the file; known keys: private, replay, scrub"},
      {"[scrub]\nlearn = tru\n", "f.toml:2: Error while parsing boolean: expected 'true', saw 'tru\\x0a'"},
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
  CHECK_THROWS_WITH(TomlFile::read("/dev"), "/dev: cannot read: this is a folder");
  CHECK_THROWS_WITH(TomlFile::parse("a = ", "f.toml"), Catch::StartsWith("f.toml:1: "));
}
