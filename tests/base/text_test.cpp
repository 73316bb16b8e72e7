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

TEST_CASE("text: what stands before a separator is taken off with it") {
  std::string_view rest = "a,,b";
  CHECK(take_until(rest, ',') == "a");
  CHECK(rest == ",b");
  CHECK(take_until(rest, ',').empty());
  CHECK(take_until(rest, ',') == "b");
  CHECK(rest.empty());
  CHECK(take_until(rest, ',').empty());
  rest = "a,";
  CHECK(take_until(rest, ',') == "a");
  CHECK(rest.empty());
}

TEST_CASE("text: a whole number is the whole text, and fits") {
  CHECK(whole_number<int>("0") == 0);
  CHECK(whole_number<int>("-12") == -12);
  CHECK(whole_number<int>("007") == 7);
  CHECK(whole_number<std::uint64_t>("ff", 16) == 255u);
  CHECK(whole_number<std::uint16_t>("65535") == 65'535);
  for (const std::string_view text : {"", " 1", "1 ", "+1", "-", "1.5", "0x1", "65536", "-1"}) {
    CAPTURE(text);
    CHECK_FALSE(whole_number<std::uint16_t>(text));
  }
}

TEST_CASE("text: all are replaced, and what was put in is not looked at again") {
  std::string text = "a-b-c";
  replace_all(text, "-", "--");
  CHECK(text == "a--b--c");
  replace_all(text, "--", "");
  CHECK(text == "abc");
}

TEST_CASE("text: a byte has two hex digits") {
  std::string text;
  for (const char c : {'\0', '\x0f', '\xAb', '\xff'}) append_hex(text, c);
  append_hex(text, '\xAb', true);
  CHECK(text == "000fabffAB");
}
