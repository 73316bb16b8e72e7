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
  BufferCharge(BufferCharge&& other) noexcept : held_(std::exchange(other.held_, 0)) {}
  BufferCharge& operator=(BufferCharge&& other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  BufferCharge(const BufferCharge&) = delete;
  BufferCharge& operator=(const BufferCharge&) = delete;

  void set(std::size_t bytes) {
    if (bytes == held_) return;
    total_.fetch_add(bytes - held_, std::memory_order_relaxed);  // unsigned wrap-around subtracts
    held_ = bytes;
  }
  [[nodiscard]] std::size_t held() const { return held_; }
  [[nodiscard]] static std::size_t total() { return total_.load(std::memory_order_relaxed); }

 private:
  static inline std::atomic<std::size_t> total_{0};
  std::size_t held_ = 0;
};

}  // namespace tapedeck::http
