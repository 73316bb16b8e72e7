#include "http/message/message.h"

#include <catch2/catch.hpp>

namespace tapedeck::http {
namespace {

TEST_CASE("headers: names are compared without case and keep their spelling") {
  Headers headers{{"X-One", "1"}, {"x-one", "2"}, {"Other", ""}};
  CHECK(headers.first("X-ONE") == "1");
  CHECK(headers.all("x-One") == std::vector<std::string_view>{"1", "2"});
  CHECK(headers.first("Other") == "");
  CHECK_FALSE(headers.contains("X-On"));
  CHECK(headers.begin()->name == "X-One");
}

TEST_CASE("headers: set replaces all headers of a name at the position of the first") {
  Headers headers{{"A", "1"}, {"B", "2"}, {"a", "3"}};
  headers.set("a", "new");
  CHECK(headers.to_text() == "A: new\r\nB: 2\r\n");
  headers.set("C", "4");
  CHECK(headers.to_text() == "A: new\r\nB: 2\r\nC: 4\r\n");
  CHECK(headers.erase("A") == 1);
  CHECK(headers.erase("A") == 0);
  CHECK(headers.size() == 2);
}

TEST_CASE("headers: to_text and from_text are inverse") {
  const Headers cases[] = {
      {},
      {{"A", "1"}},
      {{"A", ""}, {"A", " two spaces "}, {"B", "x: y"}},
      {{"Set-Cookie", "id=\xff\xfe; path=/"}},
  };
  for (const Headers& headers : cases) CHECK(Headers::from_text(headers.to_text()) == headers);
}

TEST_CASE("headers: comparison without case affects only letters") {
  CHECK(equal_no_case("Content-Type", "content-TYPE"));
  CHECK_FALSE(equal_no_case("a", "ab"));
  CHECK_FALSE(equal_no_case("@", "`"));
  CHECK_FALSE(equal_no_case("[", "{"));
  int differing = 0;
  const auto lower = [](int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; };
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string one(1, static_cast<char>(a)), other(1, static_cast<char>(b));
      if (equal_no_case(one, other) != (lower(a) == lower(b))) ++differing;
    }
  }
  CHECK(differing == 0);
}

TEST_CASE("message: each status code has its reason phrase") {
  CHECK(reason_phrase(200) == "OK");
  CHECK(reason_phrase(431) == "Request Header Fields Too Large");
  CHECK(reason_phrase(504) == "Gateway Timeout");
  CHECK(reason_phrase(299).empty());
  CHECK(reason_phrase(-1).empty());
}

TEST_CASE("message: media_type has no parameters and blanks") {
  for (const std::string_view line : {"Text/HTML", "Text/HTML; charset=utf-8", "Text/HTML ;x", " Text/HTML\t"}) {
    CHECK(media_type({{"Content-Type", std::string(line)}}) == "Text/HTML");
  }
  CHECK(media_type({}).empty());
  CHECK(media_type({{"Content-Type", "; charset=utf-8"}}).empty());
}

TEST_CASE("message: some statuses have no body") {
  for (const int status : {100, 199, 204, 304}) CHECK_FALSE(may_have_body(status));
  for (const int status : {200, 203, 206, 302, 404, 999}) CHECK(may_have_body(status));
}

}  // namespace
}  // namespace tapedeck::http
