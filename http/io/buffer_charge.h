#pragma once
// Counts the bytes that --buffer limits (Limits::buffer_bytes): all bodies and responses in memory that are not yet
// delivered. There is one total for all listeners and relays of the process.

#include <atomic>
#include <cstddef>

namespace tapedeck::http {

/// The part of the total for one object. Its destructor subtracts it.
class BufferCharge {
 public:
  BufferCharge() = default;
  explicit BufferCharge(std::size_t bytes) { set(bytes); }
  ~BufferCharge() { set(0); }
  BufferCharge(const BufferCharge&) = delete;
  BufferCharge& operator=(const BufferCharge&) = delete;

  void set(std::size_t bytes) { set(bytes, 0); }
  /// Does the same for a request that no handler has received yet.
  void set_of_request(std::size_t bytes) { set(bytes, bytes); }
  [[nodiscard]] std::size_t held() const { return held_; }
  [[nodiscard]] static std::size_t total() { return total_.load(std::memory_order_relaxed); }
  /// Returns the part of the total for requests that no handler has received yet. Waiting does not reduce it.
  [[nodiscard]] static std::size_t of_requests() { return of_requests_.load(std::memory_order_relaxed); }

 private:
  void set(std::size_t bytes, std::size_t of_request) {
    // If the value shrinks, unsigned wrap-around subtracts.
    if (of_request != of_request_) of_requests_.fetch_add(of_request - of_request_, std::memory_order_relaxed);
    if (bytes != held_) total_.fetch_add(bytes - held_, std::memory_order_relaxed);
    of_request_ = of_request;
    held_ = bytes;
  }

  static inline std::atomic<std::size_t> total_{0}, of_requests_{0};
  std::size_t held_ = 0;
  std::size_t of_request_ = 0;
};

}  // namespace tapedeck::http
