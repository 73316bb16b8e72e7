// Reading and writing of durations.
#include "base/duration.h"

#include <catch2/catch.hpp>

namespace tapedeck::base {

using namespace std::chrono_literals;

TEST_CASE("duration: a number with a unit is read, and anything else is not") {
  const std::pair<std::string_view, std::chrono::microseconds> rows[] = {
      {"800ms", 800ms}, {"0.25s", 250ms}, {"5s", 5s},  {"1.5m", 90s},  {"2h", 2h},
      {"3d", 72h},      {"0s", 0s},       {"0ms", 0s}, {".5s", 500ms}, {"1000d", 24000h}};
  for (const auto& [text, expected] : rows) {
    CAPTURE(text);
    CHECK(duration_of(text) == expected);
  }
  for (const std::string_view text : {"", "5", "800", "5 s", "s", "-5s", "+5s", "5S", "5sec", "1001d", "nans", "infs",
                                      "1e3s", "0x5s", "5s ", "1h30m", "2w", "5us"}) {
    CAPTURE(text);
    CHECK_FALSE(duration_of(text).has_value());
  }
}

TEST_CASE("duration: each text that is written reads as the same duration") {
  const std::pair<std::chrono::microseconds, std::string> rows[] = {
      {60s, "1m"}, {5s, "5s"}, {90s, "90s"}, {250ms, "250ms"}, {24h, "1d"}, {36h, "36h"}, {600s, "10m"}, {0s, "0s"}};
  for (const auto& [duration, text] : rows) {
    CHECK(duration_text(duration) == text);
    CHECK(duration_of(text) == duration);
  }
}

}  // namespace tapedeck::base
