#pragma once
// A queue of the pieces that a connection has yet to send. A piece is owned by the queue, shared, or a literal.

#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/io/buffer_charge.h"

namespace tapedeck::http {

class OutQueue {
 public:
  /// Adds a text that outlives the queue, such as a literal.
  void add_literal(std::string_view text) { add(text); }
  /// Adds a text. If it is 4 KiB or longer, it counts against --buffer until it is sent.
  void add_owned(std::string text);
  /// Adds a piece that `owner` keeps alive.
  void add_shared(std::string_view head, std::shared_ptr<const void> owner);
  /// Adds another piece of the last owner.
  void add_more(std::string_view piece) { add(piece); }

  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] bool empty() const { return bytes_ == 0; }
  /// Returns the pieces that are not consumed.
  [[nodiscard]] std::span<const std::string_view> front() const { return std::span(pieces_).subspan(next_); }
  /// Removes `count` bytes from the front.
  void consume(std::size_t count);
  void clear();

 private:
  void add(std::string_view piece);
  static std::size_t charged(const std::string& text) { return text.capacity() < 4096 ? 0 : text.capacity(); }

  std::vector<std::string_view> pieces_;
  std::size_t next_ = 0;
  std::size_t bytes_ = 0;
  std::list<std::string> owned_;  // a list, because `pieces_` refers to its strings
  std::vector<std::shared_ptr<const void>> owners_;
  BufferCharge charge_;  // for owned_
};

}  // namespace tapedeck::http
