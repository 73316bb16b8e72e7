// The client's side of a transfer: keeps the response, passes a live one on, and sends the rest after the commit.
#include <algorithm>
#include <utility>

#include "http/device/transfer.h"
#include "http/message/hop_by_hop.h"

namespace tapedeck::http {
namespace {

constexpr std::size_t unsent_enough = 256 * 1024;  // at this size, wait for the client
constexpr std::size_t reserved_from = 1u << 20;    // from this size on, memory is reserved in advance

bool is_event_stream(const Headers& headers) { return equal_no_case(media_type(headers), "text/event-stream"); }

/// Returns the memory for a head: its text and the strings of its headers.
std::size_t bytes_of(const Response& head) {
  std::size_t bytes = head.reason.size() + head.headers.size() * sizeof(Header);
  for (const Header& line : head.headers) bytes += line.name.size() + line.value.size();
  return bytes;
}

}  // namespace

void Transfer::begin_reply() {
  is_stream_ = is_event_stream(head_.headers);
  length_ = scanner_.facts().content_length;
  remove_hop_by_hop(head_.headers);
  client_->rewrite(head_);
  head_bytes_ = bytes_of(head_);
  // Reserved memory costs nothing until it is used, and it avoids copies while the body grows.
  if (length_ && *length_ > reserved_from && *length_ <= limits().max_body) body_.reserve(*length_);
}

void Transfer::keep_and_pass_on(std::string bytes) {
  if (body_.empty() && body_.capacity() < bytes.size()) {
    body_ = std::move(bytes);
  } else {
    append_to_body(body_, bytes);
  }
  if (!length_) note_piece();
  if (!keeps_body()) go_live();
  pass_on();
}

void Transfer::note_piece() {
  const Relayed::Piece piece{std::chrono::system_clock::now(), body_bytes()};
  // Most responses arrive in one piece. They are not streams.
  if (!first_piece_) {
    first_piece_ = piece;
    return;
  }
  if (result_.pieces.empty()) result_.pieces.push_back(*first_piece_);
  if (result_.pieces.size() < host_.options().most_pieces) result_.pieces.push_back(piece);
}

void Transfer::go_live() {
  if (!is<Held>()) return;
  state_ = Live{};
  exchange_->on_drained([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->client_moved();
  });
  exchange_->start(head_);
  pass_on();
  update_charge();
}

/// Sends more of a live response, as much as the client accepts.
void Transfer::pass_on() {
  Live* const live = std::get_if<Live>(&state_);
  if (!live) return;
  const Reading before = std::exchange(reading_, Reading::uses);
  // If the length is known, the last byte is kept back, because it ends the response.
  const std::uint64_t end = std::min(body_bytes(), length_ && *length_ > 0 ? *length_ - 1 : body_bytes());
  while (live->sent < end && !exchange_->gone() && exchange_->unsent() < unsent_enough) {
    const std::uint64_t count = std::min<std::uint64_t>(end - live->sent, unsent_enough);
    std::string piece = body_.substr(live->sent - dropped_, count);
    live->sent += count;
    exchange_->write(std::move(piece));
  }
  if (!keeps_body() && live->sent == body_bytes()) {
    dropped_ = live->sent;
    std::string().swap(body_);
  }
  reading_ = before;
}

/// Called when the client has received everything, has closed its side, or has disconnected.
void Transfer::client_moved() {
  if (reading_ == Reading::uses || !is<Live>()) return;
  pass_on();
  update_charge();
  read_on();
}

/// A client that disconnects ends a stream. Other responses are read to the end if they can be kept.
bool Transfer::client_ended_it() {
  if (reading_ == Reading::uses || !is<Live>()) return false;
  const bool left = exchange_->gone() || (is_stream_ && exchange_->input_ended());
  if (!left || (length_ && keeps_body())) return false;
  if (keeps_body()) {
    finish(Ending::ended_by_client, "");
  } else {
    finish(Ending::too_long, "the response is larger than the limit and the client has disconnected");
  }
  return true;
}

/// Returns false if so many bytes of a live response are unsent that the device should wait.
bool Transfer::client_accepts_more() const {
  const Live* const live = std::get_if<Live>(&state_);
  if (!live || exchange_->gone()) return true;
  return exchange_->unsent() < unsent_enough && body_bytes() - live->sent < unsent_enough;
}

void Transfer::update_charge() {
  if (is_over()) return;
  // A kept body counts twice: for itself and for its scrubbed copy.
  const std::size_t response = 2 * head_bytes_ + body_.size() * (keeps_body() ? 2 : 1);
  charge_.set(in_.size() + response + (is<Live>() ? exchange_->unsent() : 0));
}

/// Gives the result to the recorder. The client gets the rest after release().
void Transfer::store() {
  const bool is_whole = result_.ending == Ending::whole || result_.ending == Ending::ended_by_client ||
                        result_.ending == Ending::too_long;
  const bool is_ours = !result_.has_head, keeps = keeps_body();
  const Live* const live = std::get_if<Live>(&state_);
  // A response to HEAD without a length is sent in pieces, which says so.
  const bool in_one = is_ours || (is_whole && (!to_head_ || head_.headers.contains("Content-Length")));
  const Storing::Rest rest = live ? Storing::Rest::body : in_one ? Storing::Rest::all : Storing::Rest::head_and_body;
  const std::uint64_t sent = !live ? 0 : keeps ? live->sent : live->sent - dropped_;
  state_ = Storing{Clock::now() + host_.options().commit_time};
  std::string text = is_ours ? std::move(head_.body) : std::move(body_);
  result_.response = Response{head_.status, head_.reason, head_.headers, {}};
  if (keeps && !is_ours) result_.response.body = std::move(text);
  std::shared_ptr<const std::string> body = client_->ended(std::move(result_), host_.receipt_for(weak_from_this()));
  if (!keeps || is_ours) body = std::make_shared<const std::string>(std::move(text));
  charge_.set(2 * head_bytes_ + (keeps ? 0 : body->size()));  // the recorder counts a kept body from here on
  Storing& storing = std::get<Storing>(state_);
  storing.rest = rest;
  storing.body = {std::string_view(*body).substr(std::min<std::uint64_t>(body->size(), sent)), body};
  storing.is_good = is_whole || is_ours;
}

void Transfer::release() {
  if (!is<Storing>()) return;
  const auto self = shared_from_this();  // remove() drops the other reference
  charge_.set(0);
  send_rest(std::get<Storing>(std::exchange(state_, Over{})));
  host_.remove(*this);
}

void Transfer::send_rest(Storing storing) {
  if (storing.rest == Storing::Rest::all) return exchange_->respond(std::move(head_), std::move(storing.body));
  if (storing.rest == Storing::Rest::head_and_body) exchange_->start(std::move(head_));
  if (!storing.body.bytes.empty()) exchange_->write(std::move(storing.body));
  if (storing.is_good) return exchange_->finish();
  // The client gets the available bytes before the connection is closed, and so detects that the response is cut.
  if (exchange_->unsent() == 0) return exchange_->abort();
  exchange_->on_drained([exchange = exchange_] {
    if (exchange->unsent() == 0) exchange->abort();
  });
}

}  // namespace tapedeck::http
