#include "base/clock.h"

#include <catch2/catch.hpp>
#include <ctime>

using namespace tapedeck::base;

TEST_CASE("clock: formats times in UTC") {
  CHECK(human_time(0) == "1970-01-01 00:00:00");
  CHECK(human_time(1'700'000'000'000'000) == "2023-11-14 22:13:20");
  CHECK(human_day(1'700'000'000'000'000) == "2023-11-14");
}

TEST_CASE("clock: returns the system's time in microseconds") {
  const std::int64_t before = std::time(nullptr), now = now_us() / 1'000'000;
  CHECK(now >= before);
  CHECK(now <= std::time(nullptr));
}
