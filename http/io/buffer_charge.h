#pragma once
// Bytes that count against --buffer (Limits::buffer_bytes) as long as they live: everything that holds a body or an
// answer on its way has its part of one total, over all listeners and relays of the process.

#include <atomic>
#include <cstddef>
#include <utility>

namespace tapedeck::http {

/// One holder's part of the total; it goes along when its holder is moved, and is given back when that goes.
class BufferCharge {
 public:
  BufferCharge() = default;
  explicit BufferCharge(std::size_t bytes) { set(bytes); }
  ~BufferCharge() { set(0); }
  BufferCharge(BufferCharge&& other) noexcept
      : held_(std::exchange(other.held_, 0)), of_request_(std::exchange(other.of_request_, 0)) {}
  BufferCharge& operator=(BufferCharge&& other) noexcept {
    std::swap(held_, other.held_);
    std::swap(of_request_, other.of_request_);
    return *this;
  }
  BufferCharge(const BufferCharge&) = delete;
  BufferCharge& operator=(const BufferCharge&) = delete;

  void set(std::size_t bytes) { set(bytes, 0); }
  /// The same for a request that no handler has yet.
  void set_of_request(std::size_t bytes) { set(bytes, bytes); }
  [[nodiscard]] std::size_t held() const { return held_; }
  [[nodiscard]] static std::size_t total() { return total_.load(std::memory_order_relaxed); }
  /// The part of the total that requests have which no handler has yet: nothing of it is given back by itself.
  [[nodiscard]] static std::size_t of_requests() { return of_requests_.load(std::memory_order_relaxed); }

 private:
  void set(std::size_t bytes, std::size_t of_request) {
    // Unsigned wrap-around subtracts.
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
