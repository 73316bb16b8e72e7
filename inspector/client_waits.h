#pragma once
// The threads that wait for a client of the control server. If requests queue up because all threads are in use, the
// connection that has waited longest is ended, so that clients that do not send or read hold up no others.

#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

namespace tapedeck::inspector {

/// Thread-safe.
class ClientWaits {
 public:
  explicit ClientWaits(std::size_t threads) : threads_(threads) {}

  /// Exists while a thread waits for a client. `number` is that of the connection, in the order of their beginnings.
  class Wait {
   public:
    Wait(ClientWaits& waits, std::uint64_t number, int socket) : waits_(waits), number_(number) {
      const std::lock_guard lock(waits_.mutex_);
      waits_.waiting_.emplace(number, socket);
      if (waits_.unfinished_ > waits_.threads_) waits_.end_oldest();
    }
    ~Wait() {
      const std::lock_guard lock(waits_.mutex_);
      waits_.waiting_.erase(number_);
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    ClientWaits& waits_;
    std::uint64_t number_;
  };

  [[nodiscard]] std::uint64_t next_number() { return ++connections_; }

  /// Counts a connection that needs a thread, until done().
  void begin() {
    const std::lock_guard lock(mutex_);
    if (++unfinished_ > threads_) end_oldest();
  }
  void done() {
    const std::lock_guard lock(mutex_);
    --unfinished_;
  }

 private:
  // The socket is open while it is listed, because its thread waits.
  void end_oldest() {
    if (waiting_.empty()) return;
    ::shutdown(waiting_.begin()->second, SHUT_RDWR);
    waiting_.erase(waiting_.begin());
  }

  const std::size_t threads_;
  std::atomic<std::uint64_t> connections_ = 0;
  std::mutex mutex_;  ///< guards the members below
  std::size_t unfinished_ = 0;
  std::map<std::uint64_t, int> waiting_;
};

/// The threads of the server.
class ClientThreads : public httplib::TaskQueue {
 public:
  ClientThreads(ClientWaits& waits, std::size_t threads) : waits_(waits), pool_(threads) {}

  void enqueue(std::function<void()> task) override {
    waits_.begin();
    pool_.enqueue([this, task = std::move(task)] {
      task();
      waits_.done();
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  ClientWaits& waits_;
  httplib::ThreadPool pool_;
};

}  // namespace tapedeck::inspector
