#pragma once
// Scrubs bodies that would block the loop on one thread, in order.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tapedeck::proxy {

/// Tasks must not throw. The destructor waits for all tasks.
class ScrubThread {
 public:
  ScrubThread() : thread_([this] { run(); }) {}
  ~ScrubThread();
  ScrubThread(const ScrubThread&) = delete;
  ScrubThread& operator=(const ScrubThread&) = delete;

  void add(std::function<void()> task);
  /// Waits until all tasks that were added before are done.
  void drain();

 private:
  void run();

  std::mutex mutex_;  ///< guards the following members
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool busy_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tapedeck::proxy
