#pragma once
// How many bytes of bodies and unread input the process holds, over all listeners and relays (Limits::buffer_bytes).

#include <atomic>
#include <cstddef>

namespace tapedeck::http {

/// One holder's part of the total; gives it back when it goes.
class BufferCharge {
 public:
  BufferCharge() = default;
  ~BufferCharge() { set(0); }
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
