#include "http/urlencoded.h"

#include <catch2/catch.hpp>

namespace tapedeck::http {
namespace {

/// "name=value|name=value", with decoded text.
std::string shown(std::string_view text) {
  std::string out;
  for (const Pair& pair : parse_urlencoded(text)) {
    if (!out.empty()) out += '|';
    out += pair.name + "=" + pair.value;
  }
  return out;
}

TEST_CASE("urlencoded: pairs are split and decoded once by the WHATWG rules") {
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

TEST_CASE("urlencoded: each piece knows its place in the raw text") {
  const std::string_view text = "&api=SVC.A&pass%77d=a%20b&flag";
  const std::vector<Pair> pairs = parse_urlencoded(text);
  REQUIRE(pairs.size() == 3);
  const auto at = [text](Span span) { return text.substr(span.offset, span.length); };
  CHECK(at(pairs[0].raw_name) == "api");
  CHECK(at(pairs[0].raw_value) == "SVC.A");
  CHECK(at(pairs[1].raw_name) == "pass%77d");
  CHECK(pairs[1].name == "passwd");
  CHECK(at(pairs[1].raw_value) == "a%20b");
  CHECK(at(pairs[2].raw_name) == "flag");
  CHECK(pairs[2].raw_value.length == 0);
}

TEST_CASE("urlencoded: encoding and decoding are inverse for every byte") {
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  CHECK(percent_decode(percent_encode(all), true) == all);
  CHECK(percent_encode("a b/~") == "a%20b%2F~");
  CHECK(percent_decode("a+b", false) == "a+b");
}

TEST_CASE("urlencoded: a target is cut at its first question mark") {
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

TEST_CASE("urlencoded: a form is known by its content type") {
  CHECK(is_form({{"content-type", "application/X-WWW-form-urlencoded ; charset=UTF-8"}}));
  CHECK_FALSE(is_form({{"Content-Type", "multipart/form-data"}}));
  CHECK_FALSE(is_form({}));
}

}  // namespace
}  // namespace tapedeck::http
