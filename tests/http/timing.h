#pragma once
// Deadlines, measured on a machine that has other things to do.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>

#include "http/io/event_loop.h"

namespace tapedeck::http::testing {

/// What sanitizers add: under them the work beside a deadline takes many times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::chrono::milliseconds sanitizer_delay{400};
#else
inline constexpr std::chrono::milliseconds sanitizer_delay{0};
#endif

/// `once` waits for a deadline to pass, and says how long that took. Never may it be early; a tenth late is allowed, in
/// the best of a few tries: a busy machine makes one late, a deadline that is not held makes all of them late.
inline void check_deadline(std::chrono::milliseconds deadline,
                           const std::function<std::chrono::steady_clock::duration()>& once) {
  using std::chrono::milliseconds;
  constexpr int tries = 5;
  const milliseconds latest = deadline + deadline / 10 + sanitizer_delay;
  milliseconds best = milliseconds::max();
  for (int i = 0; i < tries && best > latest; ++i) {
    const auto took = std::chrono::duration_cast<milliseconds>(once());
    CHECK(took >= deadline - milliseconds(5));
    best = std::min(best, took);
  }
  CHECK(best <= latest);
}

/// Checks a deadline by a clock of its own, which stands still but for the test: neither early nor, however busy the
/// machine is, late. `is_over` waits for at most as long as it is told, and says whether the deadline has acted.
inline void check_deadline(EventLoop& loop, std::chrono::milliseconds deadline,
                           const std::function<bool(std::chrono::milliseconds patience)>& is_over) {
  using namespace std::chrono_literals;
  constexpr std::chrono::milliseconds settle{50};  // for what was sent to arrive, and for two sweeps
  CHECK_FALSE(is_over(settle));
  loop.advance(deadline - 1ms);
  CHECK_FALSE(is_over(settle));
  loop.advance(deadline);
  CHECK(is_over(10s));
}

/// How long `what` takes.
inline std::chrono::steady_clock::duration time_of(const std::function<void()>& what) {
  const auto before = std::chrono::steady_clock::now();
  what();
  return std::chrono::steady_clock::now() - before;
}

}  // namespace tapedeck::http::testing
