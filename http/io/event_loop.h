#pragma once
// Event loops, timers and signals, with Boost.Asio kept behind them.

#include <atomic>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>

namespace tapedeck::http {

/// One thread's event loop.
class EventLoop {
 public:
  using Clock = std::chrono::steady_clock;

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Runs until stop(). An exception that leaves a callback leaves run().
  void run();
  /// Callable from any thread.
  void stop();
  /// Runs `task` on the loop's thread, soon. Callable from any thread.
  void post(std::function<void()> task);
  /// Runs `task` once, after `delay`. Callable on the loop's thread or before run().
  void after(std::chrono::milliseconds delay, std::function<void()> task);
  /// Runs `task` at every `period` until it returns false.
  void every(std::chrono::milliseconds period, std::function<bool()> task);
  /// Runs `task` with the signal's number each time one of `signals` arrives.
  void on_signal(std::initializer_list<int> signals, std::function<void(int)> task);

  /// What deadlines are counted by.
  [[nodiscard]] Clock::time_point now() const {
    const Clock::rep stopped = stopped_at_.load(std::memory_order_relaxed);
    return stopped == 0 ? Clock::now() : Clock::time_point(Clock::duration(stopped));
  }
  /// For tests: from the first call on now() stands still but for these steps. Callable from any thread.
  void advance(std::chrono::milliseconds step) { stopped_at_ = (now() + step).time_since_epoch().count(); }

  /// For the .cpp files of http/ alone.
  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::atomic<Clock::rep> stopped_at_{0};  ///< 0: it goes on
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::http
