#include "http/server/out_queue.h"

#include <utility>

namespace tapedeck::http {

void OutQueue::add(std::string_view piece) {
  if (piece.empty()) return;
  pieces_.push_back(piece);
  bytes_ += piece.size();
}

void OutQueue::add_owned(std::string text) {
  if (text.empty()) return;
  owned_.push_back(std::move(text));
  charge_.set(charge_.held() + charged(owned_.back()));
  add(owned_.back());
}

void OutQueue::add_shared(std::string_view head, std::shared_ptr<const void> owner) {
  owners_.push_back(std::move(owner));
  add(head);
}

void OutQueue::consume(std::size_t count) {
  bytes_ -= count;
  while (count > 0) {
    std::string_view& piece = pieces_[next_];
    if (count < piece.size()) {
      piece.remove_prefix(count);
      return;
    }
    count -= piece.size();
    // Frees each piece of a long stream when it is sent, not at the end of the stream.
    if (!owned_.empty() && piece.data() + piece.size() == owned_.front().data() + owned_.front().size()) {
      charge_.set(charge_.held() - charged(owned_.front()));
      owned_.pop_front();
    }
    ++next_;
  }
  constexpr std::size_t many = 256;
  if (next_ >= many) {
    pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
  }
  if (bytes_ == 0) clear();
}

void OutQueue::clear() {
  constexpr std::size_t worth_keeping = 64;
  pieces_.clear();
  if (pieces_.capacity() > worth_keeping) pieces_.shrink_to_fit();
  owned_.clear();
  charge_.set(0);
  owners_.clear();
  next_ = 0;
  bytes_ = 0;
}

}  // namespace tapedeck::http
