// Rewriting a recorded Set-Cookie header (docs/replay.md, "Details of HTTP").
#include "replay/recorded/set_cookie.h"

#include <catch2/catch.hpp>
#include <string>

namespace tapedeck::replay {
namespace {

std::string kept(const std::string& line, bool secure) {
  std::string text;
  for (const auto [begin, end] : kept_of_cookie(line, secure)) text += line.substr(begin, end - begin);
  return text;
}

TEST_CASE("replay: a recorded cookie loses its lifetime unless it is a deletion") {
  struct Row {
    std::string attributes, kept;
  };
  const std::vector<Row> rows = {
      {"; Expires=Wed, 21-Oct-2099 07:28:00 GMT", ""},
      {"; Expires=Wed, 21-Oct-2099", ""},
      {"; Expires=never", ""},
      {"; Expires=Thu, 01-Jan-70 00:00:00 GMT", "; Expires=Thu, 01-Jan-70 00:00:00 GMT"},
      {"; expires = Thu, 01 Jan 1970 00:00:01 GMT; Path=/", "; expires = Thu, 01 Jan 1970 00:00:01 GMT; Path=/"},
      {"; Max-Age=0", "; Max-Age=0"},
      {"; max-age=-5", "; max-age=-5"},
      {"; Max-Age=00", "; Max-Age=00"},
      {"; Max-Age=10", ""},
      {"; Max-Age=0x", ""},
      {"; Max-Age=", ""},
      // Max-Age overrides Expires, and the last one of two counts.
      {"; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", ""},
      {"; Max-Age=0; Expires=Wed, 21 Oct 2099 07:28:00 GMT", "; Max-Age=0; Expires=Wed, 21 Oct 2099 07:28:00 GMT"},
      {"; Max-Age=0; Max-Age=60", ""},
      {"; Max-Age=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "; Max-Age=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.attributes);
    CHECK(kept("Set-Cookie: a=1" + row.attributes, false) == "Set-Cookie: a=1" + row.kept);
  }
}

TEST_CASE("replay: on plain HTTP a cookie keeps Secure if a browser would drop it otherwise") {
  struct Row {
    std::string recorded, plain;
  };
  const std::vector<Row> rows = {
      {"a=1; Secure; HttpOnly", "a=1; HttpOnly"},
      {"a=1; Secure; SameSite=Lax", "a=1; SameSite=Lax"},
      {"a=1; SameSite=None; Secure", "a=1; SameSite=None; Secure"},
      {"a=1; secure; samesite = none", "a=1; secure; samesite = none"},
      {"a=1; SameSite=None; SameSite=Lax; Secure", "a=1; SameSite=None; SameSite=Lax"},
      {"__Host-a=1; Path=/; Secure", "__Host-a=1; Path=/; Secure"},
      {"__Secure-a=1; Domain=nas.example; Secure", "__Secure-a=1; Secure"},
      {"__secure-a=1; Secure", "__secure-a=1; Secure"},
      {"__Hosta=1; Secure", "__Hosta=1"},
      {"a=__Host-b; Secure", "a=__Host-b"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.recorded);
    CHECK(kept("Set-Cookie: " + row.recorded, false) == "Set-Cookie: " + row.plain);
    CHECK(kept("Set-Cookie: " + row.plain, true) == "Set-Cookie: " + row.plain);
  }
}

}  // namespace
}  // namespace tapedeck::replay
