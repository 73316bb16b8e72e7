#include "base/text.h"

#include <catch2/catch.hpp>
#include <cctype>

using namespace tapedeck::base;

TEST_CASE("text: character classes and case are those of ASCII for every byte") {
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

TEST_CASE("text: trim removes blanks at both ends and keeps those inside") {
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

TEST_CASE("text: comparisons without case treat only ASCII letters as equal") {
  CHECK(equal_no_case("Content-LENGTH", "content-length"));
  CHECK_FALSE(equal_no_case("a", "ab"));
  CHECK_FALSE(equal_no_case("@", "`"));  // 0x20 apart, like upper-case and lower-case letters
  CHECK_FALSE(equal_no_case("[", "{"));
  CHECK_FALSE(equal_no_case("\xC4", "\xE4"));
  CHECK(equal_no_case("", ""));
  CHECK(fold("ÄbC-1") == "Äbc-1");
}

TEST_CASE("text: hex_value and is_hex accept hex digits only") {
  CHECK(hex_value('0') == 0);
  CHECK(hex_value('9') == 9);
  CHECK(hex_value('a') == 10);
  CHECK(hex_value('F') == 15);
  CHECK(hex_value('g') == -1);
  CHECK(is_hex("0aF9"));
  CHECK_FALSE(is_hex(""));
  CHECK_FALSE(is_hex("0x1"));
}

TEST_CASE("text: take_until removes the text before a separator and the separator") {
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

TEST_CASE("text: whole_number requires that the whole text is a number within the range") {
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

TEST_CASE("text: replace_all replaces every occurrence and does not search replacements") {
  std::string text = "a-b-c";
  replace_all(text, "-", "--");
  CHECK(text == "a--b--c");
  replace_all(text, "--", "");
  CHECK(text == "abc");
}

TEST_CASE("text: append_hex writes two digits for each byte") {
  std::string text;
  for (const char c : {'\0', '\x0f', '\xAb', '\xff'}) append_hex(text, c);
  append_hex(text, '\xAb', true);
  CHECK(text == "000fabffAB");
}
