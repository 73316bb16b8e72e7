#include "base/escapes.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"

using namespace tapedeck::base;

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

/// Returns the character and the length of an escape, "A 3", or "none".
std::string said(const Escape& escape) {
  if (escape.length == 0) return "none";
  return std::string(escape.bytes.data(), escape.size) + " " + std::to_string(escape.length);
}

}  // namespace

TEST_CASE("escapes: reads percent escapes") {
  for (const auto& [text, wanted] : Rows{{"%41bc", "A 3"}, {"%4", "none"}, {"%4g", "none"}, {"41", "none"}}) {
    CAPTURE(text);
    CHECK(said(percent_escape(text)) == wanted);
  }
}

TEST_CASE("escapes: reads the escapes of JSON") {
  for (const auto& [text, wanted] : Rows{{R"(\n)", "\n 2"},
                                         {R"(\/x)", "/ 2"},
                                         {R"(\u0041b)", "A 6"},
                                         {R"(\u004)", "none"},
                                         {R"(\ud83d\ude00)", "\xF0\x9F\x98\x80 12"},
                                         {R"(\ud83dx)", "\xED\xA0\xBD 6"},
                                         {R"(\x)", "none"},
                                         {"\\", "none"},
                                         {"n", "none"}}) {
    CAPTURE(text);
    CHECK(said(json_escape(text)) == wanted);
  }
}

TEST_CASE("escapes: reads the character references of HTML") {
  for (const auto& [text, wanted] : Rows{{"&amp;", "& 5"},
                                         {"&#65;", "A 5"},
                                         {"&#x41;b", "A 6"},
                                         {"&#X41;", "A 6"},
                                         {"&;", "none"},
                                         {"&#;", "none"},
                                         {"&#x;", "none"},
                                         {"&#1114112;", "none"},
                                         {"&amp", "none"},
                                         {"&nothing;", "none"},
                                         {"amp;", "none"}}) {
    CAPTURE(text);
    CHECK(said(html_escape(text)) == wanted);
  }
}

TEST_CASE("escapes: writes UTF-16 of either byte order") {
  using namespace std::string_literals;
  CHECK(to_utf16("A\xC3\xA9") == "A\0\xE9\0"s);
  CHECK(to_utf16("A\xC3\xA9", true) == "\0A\0\xE9"s);
  CHECK(to_utf16("\xF0\x9F\x98\x80") == "\x3D\xD8\x00\xDE"s);
  CHECK(to_utf16("\xFF") == "\xFF\0"s);
}
