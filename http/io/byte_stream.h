#pragma once
// A connection as bytes in both directions, for a protocol that takes it over. Call it on its loop's thread.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace tapedeck::http {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Reads once. Calls back later with bytes, or with nothing once the other side has closed.
  virtual void read(std::function<void(std::optional<std::string> bytes)> done) = 0;
  virtual void write(std::string bytes) = 0;
  /// Returns the number of bytes that were written but not accepted by the system yet.
  [[nodiscard]] virtual std::size_t unsent() const = 0;
  /// Calls back each time unsent() becomes zero.
  virtual void on_drained(std::function<void()> callback) = 0;
  /// Closes after everything is sent.
  virtual void finish() = 0;
  /// Closes immediately.
  virtual void abort() = 0;
};

}  // namespace tapedeck::http
