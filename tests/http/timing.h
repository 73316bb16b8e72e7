#pragma once
// Deadlines, measured on a machine that has other things to do.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>

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

/// How long `what` takes.
inline std::chrono::steady_clock::duration time_of(const std::function<void()>& what) {
  const auto before = std::chrono::steady_clock::now();
  what();
  return std::chrono::steady_clock::now() - before;
}

}  // namespace tapedeck::http::testing
