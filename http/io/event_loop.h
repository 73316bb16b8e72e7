#pragma once
// Event loops, timers and signals, with Boost.Asio kept behind them.

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>

namespace tapedeck::http {

/// One thread's event loop.
class EventLoop {
 public:
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

  /// For the .cpp files of http/ alone.
  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::http
