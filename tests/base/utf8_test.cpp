#include "base/utf8.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace {

using tapedeck::base::utf8_front;
using namespace std::string_literals;

struct Row {
  std::string text;
  char32_t code_point;
  std::size_t length;
};

}  // namespace

TEST_CASE("utf8: reads the first character, or nothing") {
  const std::vector<Row> rows = {
      {"a"s, 'a', 1},
      {"\0"s, 0, 1},
      {"\x7f"s, 0x7F, 1},
      {"\xc2\x80"s, 0x80, 2},
      {"\xdf\xbf and more"s, 0x7FF, 2},
      {"\xe0\xa0\x80"s, 0x800, 3},
      {"\xed\x9f\xbf"s, 0xD7FF, 3},
      {"\xee\x80\x80"s, 0xE000, 3},
      {"\xef\xbf\xbf"s, 0xFFFF, 3},
      {"\xf0\x90\x80\x80"s, 0x10000, 4},
      {"\xf4\x8f\xbf\xbf"s, 0x10FFFF, 4},
      {"\x80"s, 0, 0},              // a continuation byte without a lead byte
      {"\xc0\x80"s, 0, 0},          // overlong
      {"\xc1\xbf"s, 0, 0},          // overlong
      {"\xe0\x9f\xbf"s, 0, 0},      // overlong
      {"\xf0\x8f\xbf\xbf"s, 0, 0},  // overlong
      {"\xed\xa0\x80"s, 0, 0},      // a surrogate
      {"\xed\xbf\xbf"s, 0, 0},      // a surrogate
      {"\xf4\x90\x80\x80"s, 0, 0},  // above U+10FFFF
      {"\xf5\x80\x80\x80"s, 0, 0},
      {"\xff"s, 0, 0},
      {"\xc2"s, 0, 0},  // cut
      {"\xe0\xa0"s, 0, 0},
      {"\xf0\x90\x80"s, 0, 0},
      {"\xc2\x41"s, 0, 0},  // not a continuation byte
      {"\xe2\x82\xc2"s, 0, 0},
  };
  for (const Row& row : rows) {
    const auto front = utf8_front(row.text);
    INFO(row.text << " (" << row.text.size() << " bytes)");
    CHECK(front.length == row.length);
    CHECK(static_cast<std::uint32_t>(front.code_point) == static_cast<std::uint32_t>(row.code_point));
  }
}

TEST_CASE("utf8: is_utf8 checks the whole text") {
  using tapedeck::base::is_utf8;
  CHECK(is_utf8(""));
  CHECK(is_utf8("a\xc3\xa9\xe2\x82\xac"));
  CHECK_FALSE(is_utf8("a\xc3"));
  CHECK_FALSE(
      is_utf8("\xff"
              "a"));
}

TEST_CASE("utf8: recognizes characters that change the direction or end a line") {
  using tapedeck::base::turns_or_breaks;
  for (const char32_t c : {0x00, 0x0A, 0x1F, 0x7F, 0x9F, 0x061C, 0x200E, 0x200F, 0x2028, 0x202E, 0x2066, 0x2069}) {
    CAPTURE(static_cast<unsigned>(c));
    CHECK(turns_or_breaks(c));
  }
  for (const char32_t c : {0x20, 0x7E, 0xA0, 0x061B, 0x200D, 0x2027, 0x202F, 0x2065, 0x206A, 0x1F600}) {
    CAPTURE(static_cast<unsigned>(c));
    CHECK_FALSE(turns_or_breaks(c));
  }
}

TEST_CASE("utf8: escapes in JSON exactly the characters that control a terminal") {
  using tapedeck::base::printable_json;
  const std::pair<std::string, std::string> rows[] = {
      {"", ""},
      {R"({"a":"b"})", R"({"a":"b"})"},
      {"{\n  \"a\": \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"\n}",
       "{\n  \"a\": \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"\n}"},
      {"\"\x7f\"", R"("\u007f")"},
      {"\"\xc2\x80\xc2\x9b"
       "2J\xc2\x9f\xc2\xa0\"",
       "\"\\u0080\\u009b2J\\u009f\xc2\xa0\""},
      {"\"\xd8\x9c\xd8\x9b\"", "\"\\u061c\xd8\x9b\""},
      {"\"\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\"", "\"\xe2\x80\x8d\\u200e\\u200f\""},
      {"\"\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf\"", "\"\\u2028\\u202e\xe2\x80\xaf\""},
      {"\"\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa\"", "\"\\u2066\\u2069\xe2\x81\xaa\""},
      {"\xc2", "\xc2"},
  };
  for (const auto& [text, expected] : rows) {
    CAPTURE(expected);
    CHECK(printable_json(text) == expected);
  }
}

TEST_CASE("utf8: cuts a text between characters") {
  using tapedeck::base::shortened;
  using tapedeck::base::utf8_prefix;
  struct Row {
    std::string text;
    std::size_t most;
    std::string expected;
  };
  const Row rows[] = {
      {"abc", 3, "abc"},
      {"abc", 2, "ab"},
      {"abc", 0, ""},
      {"", 0, ""},
      {"\xc3\xa4\xc3\xb6", 3, "\xc3\xa4"},
      {"\xc3\xa4\xc3\xb6", 1, ""},
      {"a\xf0\x9f\x98\x80", 4, "a"},
      {"a\xf0\x9f\x98\x80", 5, "a\xf0\x9f\x98\x80"},
      {std::string(9, '\x80'), 7, std::string(7, '\x80')},  // invalid UTF-8 may be cut anywhere
  };
  for (const Row& row : rows) {
    CAPTURE(row.text, row.most);
    CHECK(utf8_prefix(row.text, row.most) == row.expected);
    CHECK(shortened(row.text, row.most) == row.expected + (row.expected.size() < row.text.size() ? "…" : ""));
  }
}
