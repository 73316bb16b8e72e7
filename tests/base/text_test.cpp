#include "base/text.h"

#include <catch2/catch.hpp>
#include <cctype>

using namespace tapedeck::base;

TEST_CASE("text: classes and case are ASCII's, for every byte") {
  for (int i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    INFO(i);
    const bool ascii = i < 128;
    CHECK(is_digit(c) == (ascii && std::isdigit(i)));
    CHECK(is_letter(c) == (ascii && std::isalpha(i)));
    CHECK(is_alnum(c) == (ascii && std::isalnum(i)));
    CHECK(is_hex(c) == (ascii && std::isxdigit(i)));
    CHECK(fold(c) == (ascii ? static_cast<char>(std::tolower(i)) : c));
    CHECK(upper(c) == (ascii ? static_cast<char>(std::toupper(i)) : c));
  }
}

TEST_CASE("text: blanks go from both ends and stay inside") {
  const struct {
    std::string_view text, both, front;
  } rows[] = {
      {"", "", ""},      {" \t ", "", ""}, {"a", "a", "a"}, {"\t a b \t", "a b", "a b \t"}, {"a\r\n", "a\r\n", "a\r\n"},
      {"a ", "a", "a "},
  };
  for (const auto& row : rows) {
    INFO('[' << row.text << ']');
    CHECK(trim(row.text) == row.both);
    CHECK(trim_front(row.text) == row.front);
  }
  CHECK(trim("\r\n x\n", " \r\n") == "x");
}

TEST_CASE("text: without case, letters alone are equal") {
  CHECK(equal_no_case("Content-LENGTH", "content-length"));
  CHECK_FALSE(equal_no_case("a", "ab"));
  CHECK_FALSE(equal_no_case("@", "`"));  // 0x20 apart, as letters are
  CHECK_FALSE(equal_no_case("[", "{"));
  CHECK_FALSE(equal_no_case("\xC4", "\xE4"));
  CHECK(equal_no_case("", ""));
  CHECK(fold("ÄbC-1") == "Äbc-1");
}

TEST_CASE("text: hex digits") {
  CHECK(hex_value('0') == 0);
  CHECK(hex_value('9') == 9);
  CHECK(hex_value('a') == 10);
  CHECK(hex_value('F') == 15);
  CHECK(hex_value('g') == -1);
  CHECK(is_hex("0aF9"));
  CHECK_FALSE(is_hex(""));
  CHECK_FALSE(is_hex("0x1"));
}
