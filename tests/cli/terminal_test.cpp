#include "cli/console/terminal.h"

#include <catch2/catch.hpp>
#include <cstdio>

using namespace tapedeck::cli;
using namespace std::string_literals;

TEST_CASE("terminal: replaces control characters of a cassette") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"plain text", "plain text"},
      {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
      {"\x1b[31mred", "\\x1b[31mred"},
      {"a\rb\nc\td", "a\\x0db\\x0ac\\x09d"},
      {"nul\0tail"s, "nul\\x00tail"},
      {"\x7f", "\\x7f"},
      {"\xc2\x9b"
       "2J",
       "\\xc2\\x9b2J"},
      {"\xe2\x80\xae"
       "abc",
       "\\xe2\\x80\\xaeabc"},
      {"\xff\xfe", "\\xff\\xfe"},
      {"\xc0\x80", "\\xc0\\x80"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
      {"cut \xe2\x82", "cut \\xe2\\x82"},
      {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
  };
  for (const auto& [text, expected] : rows) {
    CAPTURE(expected);
    CHECK(printable(text) == expected);
  }
  CHECK(printable("a\n\tb\x1b", true) == "a\n\tb\\x1b");
}

TEST_CASE("terminal: cuts lines between characters") {
  CHECK(cut_to("abcdef", 10) == "abcdef");
  CHECK(cut_to("abcdef", 6) == "abcdef");
  CHECK(cut_to("abcdef", 4) == "abc…");
  CHECK(cut_to("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 3) == "\xc3\xa9\xc3\xa9…");
}

TEST_CASE("terminal: formats one decimal like printf") {
  const auto expected = [](std::int64_t thousandths) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", static_cast<double>(thousandths) / 1000);
    return std::string(text);
  };
  for (std::int64_t n = -1100; n < 20'000; ++n) REQUIRE(one_decimal(n) == expected(n));
  for (std::int64_t n = 1; n < 10'000'000'000'000; n = n * 3 + 50 - n % 7) REQUIRE(one_decimal(n) == expected(n));
}

TEST_CASE("terminal: formats sizes with units") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(999) == "999 B");
  CHECK(human_bytes(1500) == "1.5 kB");
  CHECK(human_bytes(999'949) == "999.9 kB");
  CHECK(human_bytes(999'999) == "1000.0 kB");
  CHECK(human_bytes(1'000'000) == "1.0 MB");
  CHECK(human_bytes(2'000'000) == "2.0 MB");
}
