#include "http/message/urlencoded.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

namespace tapedeck::http {
namespace {

/// Returns "name=value|name=value" with decoded text.
std::string shown(std::string_view text) {
  std::string out;
  for (const Pair& pair : parse_urlencoded(text)) {
    if (!out.empty()) out += '|';
    out += pair.name + "=" + pair.value;
  }
  return out;
}

TEST_CASE("urlencoded: splits and decodes pairs once by the WHATWG rules") {
  const struct {
    std::string_view text, expected;
  } rows[] = {
      {"", ""},
      {"a=1&b=2", "a=1|b=2"},
      {"a", "a="},
      {"=v", "=v"},
      {"=", "="},
      {"a=b=c", "a=b=c"},
      {"&&a=1&&", "a=1"},
      {"a=1&a=1", "a=1|a=1"},
      {"x=a+b", "x=a b"},
      {"x=a%20b%2Bc", "x=a b+c"},
      {"a%3Db=c%26d", "a=b=c&d"},
      {"x=%2541", "x=%41"},
      {"x=%zz%4", "x=%zz%4"},
      {"x=%", "x=%"},
      {"x=%e4%FF", "x=\xe4\xff"},
      {"x=%00y", std::string_view("x=\0y", 4)},
      {"a;b=1", "a;b=1"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(shown(row.text) == row.expected);
  }
}

TEST_CASE("urlencoded: each piece has its place in the raw text") {
  const std::string_view text = "&api=SVC.A&pass%77d=a%20b&flag";
  std::vector<RawPair> pairs;
  for (std::size_t at = 0; const auto pair = next_pair(text, at);) pairs.push_back(*pair);
  REQUIRE(pairs.size() == 3);
  const auto at = [text](Span span) { return text.substr(span.offset, span.length); };
  CHECK(at(pairs[0].name) == "api");
  CHECK(at(pairs[0].value) == "SVC.A");
  CHECK(at(pairs[1].name) == "pass%77d");
  CHECK(parse_urlencoded(text)[1].name == "passwd");
  CHECK(at(pairs[1].value) == "a%20b");
  CHECK(at(pairs[2].name) == "flag");
  CHECK(pairs[2].value.length == 0);
}

/// Applies the rules byte by byte.
std::string decoded_plainly(std::string_view text, bool plus_is_space) {
  constexpr std::string_view digits = "0123456789abcdef0123456789ABCDEF";
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t high = at + 2 < text.size() ? digits.find(text[at + 1]) : digits.npos;
    const std::size_t low = at + 2 < text.size() ? digits.find(text[at + 2]) : digits.npos;
    if (text[at] == '%' && high != digits.npos && low != digits.npos) {
      out += static_cast<char>(high % 16 * 16 + low % 16);
      at += 2;
    } else {
      out += plus_is_space && text[at] == '+' ? ' ' : text[at];
    }
  }
  return out;
}

TEST_CASE("urlencoded: splits and decodes any text by the rules byte by byte") {
  std::mt19937 random(20261122);
  constexpr std::string_view bytes = "aZ%%%+&&==4fG29\xff";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t n = random() % 24; n > 0; --n) text += bytes[random() % bytes.size()];
    INFO(text);
    REQUIRE(percent_decode(text, true) == decoded_plainly(text, true));
    REQUIRE(percent_decode(text, false) == decoded_plainly(text, false));
    std::string expected;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('&', begin), text.size());
      const std::string_view piece = std::string_view(text).substr(begin, end - begin);
      begin = end + 1;
      if (piece.empty()) continue;
      const std::size_t equals = std::min(piece.find('='), piece.size());
      if (!expected.empty()) expected += '|';
      expected += decoded_plainly(piece.substr(0, equals), true) + "=";
      expected += decoded_plainly(piece.substr(std::min(equals + 1, piece.size())), true);
    }
    REQUIRE(shown(text) == expected);
  }
}

TEST_CASE("urlencoded: encoding and decoding are inverse for every byte") {
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  CHECK(percent_decode(percent_encode(all), true) == all);
  CHECK(percent_encode("a b/~") == "a%20b%2F~");
  CHECK(percent_decode("a+b", false) == "a+b");
}

TEST_CASE("urlencoded: splits a target at its first question mark") {
  const struct {
    std::string_view target, path, query;
    bool has_query;
  } rows[] = {
      {"/a?b=c?d", "/a", "b=c?d", true}, {"/a", "/a", "", false}, {"/a?", "/a", "", true}, {"*", "*", "", false}};
  for (const auto& row : rows) {
    const TargetParts parts = split_target(row.target);
    CHECK(parts.path == row.path);
    CHECK(parts.query == row.query);
    CHECK(parts.has_query == row.has_query);
  }
}

TEST_CASE("urlencoded: recognizes a form by its Content-Type") {
  CHECK(is_form({{"content-type", "application/X-WWW-form-urlencoded ; charset=UTF-8"}}));
  CHECK_FALSE(is_form({{"Content-Type", "multipart/form-data"}}));
  CHECK_FALSE(is_form({}));
}

}  // namespace
}  // namespace tapedeck::http
