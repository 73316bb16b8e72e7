#pragma once
// Measures how the time of some work grows with the size of its input.

#include <ctime>
#include <functional>
#include <string>

namespace tapedeck::tests {

/// Returns how many times as long `seconds(4 * size)` takes as `seconds(size)`. Tries again up to two times if that is
/// more than `most`, because a busy machine may disturb one try.
inline double growth(std::size_t size, double most, const std::function<double(std::size_t)>& seconds) {
  double ratio = 0;
  for (int tries = 0; tries < 3 && (tries == 0 || ratio > most); ++tries) {
    const double once = seconds(size);
    ratio = seconds(4 * size) / once;
  }
  return ratio;
}

/// Returns the texts of `piece(0)` to `piece(count - 1)`, one after the other.
inline std::string repeated(std::size_t count, const std::function<std::string(std::size_t)>& piece) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece(i);
  return text;
}

/// Returns the processor time that `work` takes on this thread.
template <class Work>
double seconds_of(Work&& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double start = now();
  work();
  return now() - start;
}

}  // namespace tapedeck::tests
