// Tests parsing and writing times as text.

#include "tools/content/instant.h"

#include <catch2/catch.hpp>

#include "base/clock.h"

namespace tapedeck::tools {
namespace {

constexpr std::int64_t moment = 1'793'466'005'000'000;  // 2026-10-31T17:00:05Z

TEST_CASE("instant: reads ISO 8601 with any decimals and offset") {
  const std::pair<std::string_view, std::int64_t> rows[] = {
      {"2026-10-31T17:00:05Z", moment},
      {"2026-10-31 17:00:05z", moment},
      {"2026-10-31T17:00:05.1Z", moment + 100'000},
      {"2026-10-31T17:00:05,123456Z", moment + 123'456},
      {"2026-10-31T17:00:05.1234569Z", moment + 123'456},
      {"2026-10-31T18:30:05+01:30", moment},
      {"2026-10-31T18:30:05+0130", moment},
      {"2026-10-31T09:00:05-08:00", moment},
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-31T23:59:60Z", 31 * 86'400'000'000},
      {"1969-12-31T23:59:59.5Z", -500'000},
  };
  for (const auto& [text, expected] : rows) {
    CAPTURE(text);
    CHECK(microseconds_of(text) == expected);
  }
}

TEST_CASE("instant: rejects invalid ISO 8601") {
  for (const std::string_view text : {"",
                                      "2026",
                                      "2026-10-31",
                                      "2026-10-31T17:00:05",
                                      "2026-10-31T17:00:05.",
                                      "2026x10-31T17:00:05Z",
                                      "2026-10x31T17:00:05Z",
                                      "2026-10-31x17:00:05Z",
                                      "2026-10-31T17x00:05Z",
                                      "2026-10-31T17:00x05Z",
                                      "x026-10-31T17:00:05Z",
                                      "2026-x0-31T17:00:05Z",
                                      "2026-10-x1T17:00:05Z",
                                      "2026-10-31Tx7:00:05Z",
                                      "2026-10-31T17:x0:05Z",
                                      "2026-10-31T17:00:x5Z",
                                      "2026-10-31T17:00:05ZZ",
                                      "2026-10-31T17:00:05+1",
                                      "2026-10-31T17:00:05+01",
                                      "2026-10-31T17:00:05+01:3",
                                      "2026-10-31T17:00:05+01:300",
                                      "2026-10-31T17:00:05+01300",
                                      "2026-10-31T17:00:05+0x:30",
                                      "2026-10-31T17:00:05*01:30",
                                      "2026-00-31T17:00:05Z",
                                      "2026-13-01T17:00:05Z",
                                      "2026-10-00T17:00:05Z",
                                      "2026-10-32T17:00:05Z",
                                      "2026-10-31T24:00:05Z",
                                      "2026-10-31T17:60:05Z",
                                      "2026-10-31T17:00:61Z"}) {
    CAPTURE(text);
    CHECK_FALSE(microseconds_of(text));
  }
}

TEST_CASE("instant: reads its own output") {
  CHECK(base::rfc3339(moment, 6) == "2026-10-31T17:00:05.000000Z");
  CHECK(base::rfc3339(-1, 6) == "1969-12-31T23:59:59.999999Z");
  for (const std::int64_t value :
       {moment, moment + 999'999, std::int64_t{0}, std::int64_t{-1}, std::int64_t{-1'000'000}}) {
    CHECK(microseconds_of(base::rfc3339(value, 6)) == value);
  }
}

}  // namespace
}  // namespace tapedeck::tools
