#pragma once
// Checks deadlines on a machine that is also busy with other work.

#include <sys/ioctl.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <thread>

#include "base/joined_thread.h"
#include "http/io/event_loop.h"

namespace tapedeck::http::testing {

/// The factor for sanitizers, with which work beside a deadline takes many times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::chrono::milliseconds sanitizer_delay{400};
#else
inline constexpr std::chrono::milliseconds sanitizer_delay{0};
#endif

/// Measures how late the machine itself is while the object exists, by short sleeps.
class Lateness {
 public:
  [[nodiscard]] std::chrono::steady_clock::duration stop() {
    ends_ = true;
    watch_.join();
    return late_;
  }

 private:
  void watch() {
    constexpr std::chrono::milliseconds nap{2};
    while (!ends_) {
      const auto before = std::chrono::steady_clock::now();
      std::this_thread::sleep_for(nap);
      late_ += std::chrono::steady_clock::now() - before - nap;
    }
  }

  std::atomic<bool> ends_ = false;
  std::chrono::steady_clock::duration late_{};  ///< used by the thread until it has ended
  base::JoinedThread watch_{[this] { watch(); }};
};

/// Checks a deadline in real time. `once` waits for the deadline and returns how long that took. The deadline must not
/// be early. It may be late by a tenth plus the lateness of the machine. Such cases are tagged [timing], so that ctest
/// runs them alone.
inline void check_deadline(std::chrono::milliseconds deadline,
                           const std::function<std::chrono::steady_clock::duration()>& once) {
  using std::chrono::milliseconds;
  Lateness lateness;
  const auto took = std::chrono::duration_cast<milliseconds>(once());
  const auto late = std::chrono::duration_cast<milliseconds>(lateness.stop());
  CHECK(took >= deadline - milliseconds(5));
  CHECK(took <= deadline + deadline / 10 + milliseconds(10) + late + sanitizer_delay);
}

/// Checks a deadline with a clock that only the test advances, so the result does not depend on the load of the
/// machine. `is_over` waits for at most the given time, and returns whether the deadline has acted.
inline void check_deadline(EventLoop& loop, std::chrono::milliseconds deadline,
                           const std::function<bool(std::chrono::milliseconds patience)>& is_over) {
  using namespace std::chrono_literals;
  constexpr std::chrono::milliseconds settle{50};  // time for sent bytes to arrive, and for two sweeps
  CHECK_FALSE(is_over(settle));
  loop.advance(deadline - 1ms);
  CHECK_FALSE(is_over(settle));
  loop.advance(deadline);
  CHECK(is_over(10s));
}

/// Waits until the system's buffers for an unread socket are full. Until then, the sender makes progress and its
/// deadline moves.
inline void fill_up(int fd) {
  for (int before = 0, held = 0; held == 0 || held != before;) {
    before = held;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    REQUIRE(::ioctl(fd, FIONREAD, &held) == 0);
  }
}

/// Returns the duration of `what`.
inline std::chrono::steady_clock::duration time_of(const std::function<void()>& what) {
  const auto before = std::chrono::steady_clock::now();
  what();
  return std::chrono::steady_clock::now() - before;
}

}  // namespace tapedeck::http::testing
