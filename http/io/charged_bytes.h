#pragma once
// Bytes that count against --buffer (Limits::buffer_bytes) as long as they live: everything that holds a body or an
// answer on its way has its part of one total, over all listeners and relays of the process.

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "http/message/chunk_reader.h"

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

/// A string that is charged with what it takes of memory.
class ChargedBytes {
 public:
  ChargedBytes() = default;
  explicit ChargedBytes(std::string bytes) : bytes_(std::move(bytes)) { settle(); }

  /// Grows by half, so that a flood's memory stays near what it sent.
  void append(std::string_view bytes) {
    append_to_body(bytes_, bytes);
    settle();
  }
  [[nodiscard]] std::string_view view() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  /// Gives the bytes away; whoever takes them charges them anew.
  [[nodiscard]] std::string take() {
    std::string taken = std::exchange(bytes_, std::string());
    settle();
    return taken;
  }

 private:
  void settle() {
    static const std::size_t costs_nothing = std::string().capacity();
    charge_.set(bytes_.capacity() > costs_nothing ? bytes_.capacity() : 0);
  }

  std::string bytes_;
  BufferCharge charge_;
};

}  // namespace tapedeck::http
