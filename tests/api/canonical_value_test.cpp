#include <catch2/catch.hpp>
#include <random>

#include "api/call.h"

using tapedeck::api::canonical_value;

namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

}  // namespace

TEST_CASE("canonical value: all spellings of a value have one canonical text") {
  struct Row {
    std::string_view value;
    std::string_view canonical;
  };
  const Row rows[] = {
      // scalars are their text
      {"ALL", "ALL"},
      {R"("ALL")", "ALL"},
      {R"( "ALL" )", "ALL"},
      {R"("\u0041LL")", "ALL"},
      {"1", "1"},
      {R"("1")", "1"},
      {" 1\n", "1"},
      {"1.0", "1.0"},
      {"01", "01"},
      {"-0", "-0"},
      {"12345678901234567890123456789", "12345678901234567890123456789"},
      {"true", "true"},
      {"True", "true"},
      {R"("true")", "true"},
      {R"("True")", "true"},
      {"False", "false"},
      {"TRUE", "TRUE"},
      {"null", "null"},
      {"", ""},
      {R"("")", ""},
      {"  ", "  "},
      {" two words ", " two words "},
      // arrays keep their order, objects are sorted by key
      {R"(["a","b"])", R"(["a","b"])"},
      {R"([ "a" , "b" ])", R"(["a","b"])"},
      {R"([1, 1.0, 1e5, true, null, "x"])", R"(["1","1.0","1e5","true","null","x"])"},
      {"[18446744073709551615,18446744073709551616,-9223372036854775809]",
       R"(["18446744073709551615","18446744073709551616","-9223372036854775809"])"},
      {R"({"b":1, "a":[2]})", R"({"a":["2"],"b":"1"})"},
      {R"({"b":{"d":1,"c":2},"a":[]})", R"({"a":[],"b":{"c":"2","d":"1"}})"},
      {R"({"a":2,"b":0,"a":1})", R"({"a":"2","a":"1","b":"0"})"},
      {R"(["a\"b\\c\n"])", R"(["a\"b\\c\u000a"])"},
      {R"(["ALL","b_c-1.0"])", R"(["ALL","b_c-1.0"])"},
      {R"(["True"])", R"(["true"])"},
      {R"(["a","False"])", R"(["a","false"])"},
      {R"([""])", R"([""])"},
      {R"(["a",])", R"(["a",])"},
      {R"(["a","])", R"(["a","])"},
      {R"(["a""b"])", R"(["a""b"])"},
      {R"([""","b"])", R"([""","b"])"},
      {R"(["])", R"(["])"},
      {"[-0,0,-1]", R"(["-0","0","-1"])"},
      {"[]", "[]"},
      {"{}", "{}"},
      // a list that clients write with commas; a text with white space at a comma is none
      {"a,b", R"(["a","b"])"},
      {"a, b ", "a, b "},
      {"True,1", R"(["true","1"])"},
      {"Hello, world", "Hello, world"},
      // a string with JSON in it differs from that JSON
      {R"("[\"a\"]")", R"("[\"a\"]")"},
      {R"("\"[1]\"")", R"("\"[1]\"")"},
      {R"("[1]")", R"("[1]")"},
      {R"("\"a\"")", R"("\"a\"")"},
      {R"("\"a")", R"("a)"},
      {R"("[a]")", "[a]"},
      {R"("a,b")", "a,b"},
      // a text that only resembles JSON stays text
      {"[a,b]", "[a,b]"},
      {R"({"a":1)", R"({"a":1)"},
      {R"("a","b")", R"("a","b")"},
      {R"(["a"] x)", R"(["a"] x)"},
      {"[\"\xff\"]", "[\"\xff\"]"},
      {R"("\ud800")", R"("\ud800")"},
  };
  for (const Row& row : rows) {
    INFO("value " << row.value);
    CHECK(canonical_value(row.value) == row.canonical);
  }
}

TEST_CASE("canonical value: the fast path agrees with the parser") {
  std::mt19937 random(20261122);
  const std::string_view pieces[] = {"a",         "B7",    "_.-",  "True", "False",    "1",    " ", "/", ",",
                                     "\"",        "\",\"", "\\\"", "\\",   "[",        "]",    "{", "}", "[1]",
                                     "{\"a\":1}", ":",     "\n",   "\x7f", "\xc3\xa9", "\xff", "'", "<", "null"};
  for (int round = 0; round < 20'000; ++round) {
    const bool is_list = random() % 3 == 0;
    std::string text = is_list ? "[\"" : "\"";
    for (std::size_t n = random() % 5; n > 0; --n) text += pieces[random() % std::size(pieces)];
    text += is_list ? "\"]" : "\"";
    // White space around a JSON text makes no difference, but only the parser accepts it.
    const std::string spaced = " " + text;
    const std::string parsed = canonical_value(spaced);
    INFO(text);
    REQUIRE(canonical_value(text) == (parsed == spaced ? text : parsed));
  }
}

TEST_CASE("canonical value: text after a NUL is not ignored") {
  using namespace std::string_view_literals;
  CHECK(canonical_value("[1]\0[2]"sv) == "[1]\0[2]"sv);
}

TEST_CASE("canonical value: values that are nested too deeply are compared as plain text") {
  CHECK(canonical_value(nested(64)) == nested(64));
  const std::string spaced = "[ " + nested(1'000'000) + " ]";
  CHECK(canonical_value(spaced) == spaced);
  const std::string open(1'000'000, '[');
  CHECK(canonical_value(open) == open);
}
