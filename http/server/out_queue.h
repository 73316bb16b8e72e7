#pragma once
// What one connection still has to send: pieces in order, each owned by the queue, by someone else or by nobody.

#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::http {

class OutQueue {
 public:
  /// `text` outlives the queue (a literal).
  void add_literal(std::string_view text) { add(text); }
  void add_owned(std::string text);
  /// `owner` keeps the pieces alive.
  void add_shared(std::string_view head, std::shared_ptr<const void> owner);
  /// A further piece of the owner that was added last.
  void add_more(std::string_view piece) { add(piece); }

  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] bool empty() const { return bytes_ == 0; }
  /// What comes next; the first piece is shortened by what was consumed of it.
  [[nodiscard]] std::span<const std::string_view> front() const { return std::span(pieces_).subspan(next_); }
  /// Takes `count` bytes off the front.
  void consume(std::size_t count);
  void clear();

 private:
  void add(std::string_view piece);

  std::vector<std::string_view> pieces_;
  std::size_t next_ = 0;
  std::size_t bytes_ = 0;
  std::list<std::string> owned_;  // a list: its strings never move
  std::vector<std::shared_ptr<const void>> owners_;
};

}  // namespace tapedeck::http
