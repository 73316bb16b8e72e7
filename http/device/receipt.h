#pragma once
// What a recorder holds while an answer's client waits for its commit.

#include <functional>
#include <utility>

namespace tapedeck::http {

/// Lets the rest of an answer go out once, when it is given or when its one owner goes without having done so: nobody
/// is kept waiting by what got lost. Movable from thread to thread; `release` is callable from any.
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
