#pragma once
// One thread for bodies that would hold up the loop, first come first served.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tapedeck::proxy {

/// Tasks must not throw. Its end waits for those that were added.
class ScrubThread {
 public:
  ScrubThread() : thread_([this] { run(); }) {}
  ~ScrubThread();
  ScrubThread(const ScrubThread&) = delete;
  ScrubThread& operator=(const ScrubThread&) = delete;

  void add(std::function<void()> task);
  /// Waits until all that was added before is done.
  void drain();

 private:
  void run();

  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool busy_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tapedeck::proxy
