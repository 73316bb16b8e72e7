#pragma once
// What a connection still has to send: pieces in order, owned by the queue, by somebody else, or by nobody.

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
  /// `text` outlives the queue (a literal).
  void add_literal(std::string_view text) { add(text); }
  /// A long text counts against --buffer until it is sent; short ones do not.
  void add_owned(std::string text);
  /// `owner` keeps the pieces alive.
  void add_shared(std::string_view head, std::shared_ptr<const void> owner);
  /// Adds another piece of the last owner.
  void add_more(std::string_view piece) { add(piece); }

  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] bool empty() const { return bytes_ == 0; }
  /// Returns what comes next, without what was consumed.
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
  std::list<std::string> owned_;  // a list, because its strings never move
  std::vector<std::shared_ptr<const void>> owners_;
  BufferCharge charge_;  // for owned_
};

}  // namespace tapedeck::http
