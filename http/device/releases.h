#pragma once
// Answers whose commit is through, on their way from the thread that committed them to the loop that sends them.

#include <memory>
#include <mutex>
#include <vector>

#include "http/io/event_loop.h"

namespace tapedeck::http {

class Transfer;

/// A commit is one of many answers: the loop is woken for the first of them and releases all that came meanwhile.
class Releases : public std::enable_shared_from_this<Releases> {
 public:
  explicit Releases(EventLoop& loop) : loop_(loop) {}

  /// Callable from any thread. A transfer that is gone is passed over.
  void add(std::weak_ptr<Transfer> transfer);
  /// The loop is about to go: what is added from now on is forgotten.
  void close();

 private:
  void release_all();

  EventLoop& loop_;
  std::mutex mutex_;  ///< guards what follows
  std::vector<std::weak_ptr<Transfer>> waiting_;
  bool closed_ = false;
};

}  // namespace tapedeck::http
