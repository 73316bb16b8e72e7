#pragma once
// Runs event loops, timers, and signal handlers, without Boost.Asio in the header.

#include <atomic>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>

namespace tapedeck::http {

/// The event loop of one thread.
class EventLoop {
 public:
  using Clock = std::chrono::steady_clock;

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Runs until stop(). Rethrows exceptions of callbacks; it can then be called again to run the others.
  void run();
  /// Ends run(). Thread-safe.
  void stop();
  /// Runs `task` on the loop's thread after it has returned. Thread-safe.
  void post(std::function<void()> task);
  /// Runs `task` once, after `delay`. Call it on the loop's thread, or before run().
  void after(std::chrono::milliseconds delay, std::function<void()> task);
  /// Runs `task` at every `period` until it returns false. An exception does not end it.
  void every(std::chrono::milliseconds period, std::function<bool()> task);
  /// Runs `task` with the signal's number each time one of `signals` arrives.
  void on_signal(std::initializer_list<int> signals, std::function<void(int)> task);

  /// Returns the current time for deadlines.
  [[nodiscard]] Clock::time_point now() const {
    const Clock::rep stopped = stopped_at_.load(std::memory_order_relaxed);
    return stopped == 0 ? Clock::now() : Clock::time_point(Clock::duration(stopped));
  }
  /// Stops the clock for a test, and moves now() by `step`. Thread-safe.
  void advance(std::chrono::milliseconds step) { stopped_at_ = (now() + step).time_since_epoch().count(); }

  /// Used by the .cpp files of http/.
  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::atomic<Clock::rep> stopped_at_{0};  ///< 0: the clock runs
  std::unique_ptr<Impl> impl_;
};

/// Returns the interval between checks of deadlines: a twentieth of the shortest one, 5 to 250 ms. One check of all
/// connections is far cheaper than a timer for each read and write.
[[nodiscard]] std::chrono::milliseconds sweep_period(std::initializer_list<std::chrono::milliseconds> deadlines);

}  // namespace tapedeck::http
