#pragma once
// A thread that ends before its owner does.

#include <thread>
#include <utility>

namespace tapedeck::base {

/// A thread whose destructor waits for its end, as that of std::jthread, which libc++ 16 lacks.
class JoinedThread {
 public:
  JoinedThread() = default;
  template <class Task>
  explicit JoinedThread(Task task) : thread_(std::move(task)) {}
  ~JoinedThread() { join(); }
  JoinedThread(JoinedThread&&) noexcept = default;
  JoinedThread& operator=(JoinedThread&& other) noexcept {
    join();
    thread_ = std::move(other.thread_);
    return *this;
  }

  /// Waits for the end. Does nothing if there is no thread or if this was called before.
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

}  // namespace tapedeck::base
