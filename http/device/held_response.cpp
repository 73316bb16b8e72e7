#include "http/device/held_response.h"

#include <algorithm>
#include <utility>

#include "http/message/chunk_reader.h"

namespace tapedeck::http {
namespace {

constexpr std::size_t unsent_enough = 256 * 1024;  // at this size, wait for the client
constexpr std::size_t long_body = 1u << 20;        // from this size on, memory is reserved in advance

/// Returns the memory for a head: its text and the strings of its headers.
std::size_t bytes_of(const Response& head) {
  std::size_t bytes = head.reason.size() + head.headers.size() * sizeof(Header);
  for (const Header& line : head.headers) bytes += line.name.size() + line.value.size();
  return bytes;
}

}  // namespace

HeldResponse::HeldResponse(std::shared_ptr<Exchange> exchange, std::size_t max_body, bool to_head)
    : exchange_(std::move(exchange)), max_body_(max_body), to_head_(to_head) {}

void HeldResponse::begin(Response head, std::optional<std::uint64_t> length) {
  head_ = std::move(head);
  head_bytes_ = bytes_of(head_);
  length_ = length;
  // Reserved memory costs nothing until it is used, and it avoids copies while the body grows.
  if (length_ && *length_ > long_body && *length_ <= max_body_) body_.reserve(*length_);
}

void HeldResponse::add(std::string bytes) {
  if (body_.empty() && body_.capacity() < bytes.size()) {
    body_ = std::move(bytes);
  } else {
    append_to_body(body_, bytes);
  }
  if (body_bytes() > max_body_) keeps_body_ = false;
}

void HeldResponse::go_live(const std::function<void()>& drained) {
  if (!std::holds_alternative<Held>(state_)) return;
  state_ = Live{};
  exchange_->on_drained(drained);
  exchange_->start(head_);
  pass_on();
}

void HeldResponse::pass_on() {
  if (!is_live() || passing_) return;
  Live& live = std::get<Live>(state_);
  passing_ = true;
  // If the length is known, the last byte is kept back, because it ends the response.
  const std::uint64_t end = std::min(body_bytes(), length_ && *length_ > 0 ? *length_ - 1 : body_bytes());
  while (live.sent < end && !exchange_->gone() && exchange_->unsent() < unsent_enough) {
    const std::uint64_t count = std::min<std::uint64_t>(end - live.sent, unsent_enough);
    std::string piece = body_.substr(live.sent - dropped_, count);
    live.sent += count;
    exchange_->write(std::move(piece));
  }
  if (!keeps_body_ && live.sent == body_bytes()) {
    dropped_ = live.sent;
    std::string().swap(body_);
  }
  passing_ = false;
}

bool HeldResponse::wants_more() const {
  if (!is_live() || exchange_->gone()) return true;
  return exchange_->unsent() < unsent_enough && body_bytes() - std::get<Live>(state_).sent < unsent_enough;
}

std::size_t HeldResponse::held() const {
  // A kept body counts twice: for itself and for its scrubbed copy.
  return 2 * head_bytes_ + body_.size() * (keeps_body_ ? 2 : 1) + (is_live() ? exchange_->unsent() : 0);
}

void HeldResponse::replace(Response response) {
  head_ = std::move(response);
  head_bytes_ = 0;
  std::string().swap(body_);
}

std::string HeldResponse::end() {
  if (!keeps_body_) return {};
  dropped_ = body_bytes();
  return std::exchange(body_, std::string());
}

void HeldResponse::commit(std::shared_ptr<const std::string> body, bool good) {
  Committing committing;
  if (is_live()) committing.sent = std::get<Live>(state_).sent;
  // If the body is not kept, `body_` has at most one piece that the client has not received.
  committing.body = keeps_body_ ? std::move(body) : std::make_shared<const std::string>(std::move(body_));
  committing.good = good;
  state_ = std::move(committing);
}

void HeldResponse::release() {
  if (!is_committing()) return;
  const Committing committing = std::get<Committing>(std::exchange(state_, Over{}));
  const bool at_once = !committing.sent && (committing.good || !head_.body.empty());
  if (at_once && (!to_head_ || !committing.good || head_.headers.contains("Content-Length"))) {
    if (!head_.body.empty() || committing.body->empty()) return exchange_->respond(std::move(head_));
    return exchange_->respond(std::move(head_), SharedBytes{*committing.body, committing.body});
  }
  if (!committing.sent) exchange_->start(std::move(head_));
  send_rest(committing);
  if (committing.good) return exchange_->finish();
  cut_off();
}

void HeldResponse::send_rest(const Committing& committing) {
  std::string_view rest = *committing.body;
  const std::uint64_t first = keeps_body_ ? 0 : dropped_;
  rest.remove_prefix(std::min<std::uint64_t>(rest.size(), committing.sent.value_or(0) - first));
  if (!rest.empty()) exchange_->write(SharedBytes{rest, committing.body});
}

/// Sends the available bytes, then closes the connection, so that the client detects that the response is cut.
void HeldResponse::cut_off() {
  if (exchange_->unsent() == 0) return exchange_->abort();
  exchange_->on_drained([exchange = exchange_] {
    if (exchange->unsent() == 0) exchange->abort();
  });
}

}  // namespace tapedeck::http
