// Rewriting a recorded Set-Cookie header (docs/replay.md, "Details of HTTP").
#include "replay/recorded/set_cookie.h"

#include <catch2/catch.hpp>
#include <string>

namespace tapedeck::replay {
namespace {

TEST_CASE("replay: parses cookie dates by RFC 6265 5.1.1") {
  struct Row {
    std::string text;
    std::optional<std::int64_t> seconds;
  };
  const std::vector<Row> rows = {
      // The three HTTP formats, and what devices and browsers write.
      {"Wed, 21 Oct 2015 07:28:00 GMT", 1'445'412'480},
      {"Wednesday, 21-Oct-15 07:28:00 GMT", 1'445'412'480},
      {"Wed Oct 21 07:28:00 2015", 1'445'412'480},
      {"Wed, 21-Oct-2099 07:28:00 GMT", 4'096'250'880},
      {"Thu, 01-Jan-70 00:00:01 GMT", 1},
      {"Thu, 01-Jan-1970 00:00:00 GMT", 0},
      {"thu 1 JANUARY 1970 0:0:0", 0},
      {"07:28:00;21/oct/2015", 1'445'412'480},
      {"21 Oct 15 07:28:00", 1'445'412'480},
      // Two-digit years.
      {"01 Jan 69 00:00:00", 3'124'224'000},
      {"01 Jan 00 00:00:00", 946'684'800},
      {"01 Jan 99 00:00:00", 915'148'800},
      // Incomplete or invalid dates.
      {"", std::nullopt},
      {"Wed, 21-Oct-2099", std::nullopt},
      {"07:28:00 2015", std::nullopt},
      {"soon", std::nullopt},
      {"0", std::nullopt},
      {"31 Feb 2015 07:28:00", std::nullopt},
      {"00 Jan 2015 07:28:00", std::nullopt},
      {"32 Jan 2015 07:28:00", std::nullopt},
      {"21 Oct 1600 07:28:00", std::nullopt},
      {"21 Oct 2015 24:00:00", std::nullopt},
      {"21 Oct 2015 23:60:00", std::nullopt},
      {"21 Oct 2015 07:28", std::nullopt},
      {"21 Oct 20155 07:28:00", std::nullopt},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(cookie_date(row.text) == row.seconds);
  }
}

constexpr std::int64_t recorded = 1'704'067'200;  // 2024-01-01

std::string kept(const std::string& line, bool secure) {
  std::string text;
  for (const auto [begin, end] : kept_of_cookie(line, recorded, secure)) text += line.substr(begin, end - begin);
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
      // One hour before the recording, and one hour after it.
      {"; Expires=Sun, 31 Dec 2023 23:00:00 GMT", "; Expires=Sun, 31 Dec 2023 23:00:00 GMT"},
      {"; Expires=Mon, 01 Jan 2024 01:00:00 GMT", ""},
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
