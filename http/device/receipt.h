#pragma once
// Delays the end of a client's response until it is committed.

#include <functional>
#include <utility>

namespace tapedeck::http {

/// Lets the rest of a response be sent once: when it is released or destroyed, so that a lost receipt does not block a
/// client. Movable between threads; `release` is thread-safe.
class Receipt {
 public:
  Receipt() = default;
  explicit Receipt(std::function<void()> release) : release_(std::move(release)) {}
  ~Receipt() { give(); }
  Receipt(Receipt&& other) noexcept : release_(std::exchange(other.release_, nullptr)) {}
  Receipt& operator=(Receipt&& other) noexcept {
    std::swap(release_, other.release_);
    return *this;
  }
  Receipt(const Receipt&) = delete;
  Receipt& operator=(const Receipt&) = delete;

  void give() {
    if (const auto release = std::exchange(release_, nullptr)) release();
  }

 private:
  std::function<void()> release_;
};

}  // namespace tapedeck::http
