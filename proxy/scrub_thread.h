#pragma once
// Scrubs bodies that would block the loop on one thread, in order.

#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "http/io/event_loop.h"

namespace tapedeck::proxy {

/// Tasks must not throw. The destructor waits for all tasks.
class ScrubThread {
 public:
  ScrubThread() : thread_([this] { loop_.run(); }) {}
  ~ScrubThread() {
    drain();
    loop_.stop();
    thread_.join();
  }
  ScrubThread(const ScrubThread&) = delete;
  ScrubThread& operator=(const ScrubThread&) = delete;

  void add(std::function<void()> task) { loop_.post(std::move(task)); }
  /// Waits until all tasks that were added before are done.
  void drain() {
    const auto done = std::make_shared<std::promise<void>>();
    loop_.post([done] { done->set_value(); });
    done->get_future().wait();
  }

 private:
  http::EventLoop loop_;
  std::thread thread_;
};

}  // namespace tapedeck::proxy
