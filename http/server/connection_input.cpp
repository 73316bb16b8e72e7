// Turns input into a head, a body, and a request that is either complete or still receives its body.

#include <limits>
#include <utility>

#include "http/server/connection.h"

namespace tapedeck::http {
namespace {

constexpr std::size_t small_buffer = 4 * 1024;

}  // namespace

void Connection::begin_handshake() {
  phase_ = Phase::handshake;
  set_deadline(limits().head_time);
}

void Connection::become_idle() {
  phase_ = Phase::idle;
  scanner_.reset();
  cold_ = false;
  idle_since_ = group_->loop().now();
  deadline_ = idle_since_ + limits().idle_time;
  untaken_ = std::numeric_limits<std::size_t>::max();
}

void Connection::take(std::string_view bytes) {
  if (phase_ == Phase::lingering || phase_ == Phase::closing) return want_input();
  std::size_t used = 0;
  if (in_.empty()) {
    used = consume(bytes);
    in_.assign(bytes.substr(used));
  } else {
    in_.append(bytes);
    used = consume(in_);
    in_.erase(0, used);
  }
  if (in_.empty() && in_.capacity() > small_buffer) std::string().swap(in_);
  end_if_nothing_comes();
  charge_buffers();
  if (out_.empty() || phase_ != Phase::idle) return go_on();
  group_->go_on_together(shared_from_this());
}

void Connection::go_on() {
  if (phase_ == Phase::closed) return;
  send();
  const bool waits = phase_ == Phase::busy || phase_ == Phase::waiting;
  const bool full = waits && !body_taker_ && (body_is_open_ || in_.size() >= small_buffer);
  if (phase_ != Phase::closed && !input_ended_ && !full && !is_held_back()) want_input();
}

void Connection::read_on() {
  set_deadline(phase_ == Phase::head ? limits().head_time : limits().body_time);
  go_on();
}

std::size_t Connection::consume(std::string_view bytes) {
  std::size_t used = 0;
  for (;;) {
    switch (phase_) {
      case Phase::idle:
        if (used == bytes.size()) return used;
        phase_ = Phase::head;
        set_deadline(limits().head_time);
        break;
      case Phase::head:
        if (!take_head(bytes, used)) return used;
        break;
      case Phase::body:
        if (!take_body(bytes, used)) return used;
        break;
      case Phase::handshake:
      case Phase::waiting:
        return used;
      case Phase::busy:
        if (!take_open_body(bytes, used)) return used;
        break;
      case Phase::closing:
      case Phase::lingering:
      case Phase::closed:
        return bytes.size();
    }
  }
}

bool Connection::take_head(std::string_view bytes, std::size_t& used) {
  const std::string_view rest = bytes.substr(used);
  const HeadScanner::State state = scanner_.feed(rest, group_->shared().head_limits);
  if (state == HeadScanner::State::need_more) return false;
  if (state == HeadScanner::State::refused) {
    refuse(scanner_.refusal());
    return true;
  }
  scanner_.read(rest, request_);
  reader_.begin_request(scanner_.facts(), request_.body, group_->shared().head_limits.body_bytes);
  used += scanner_.end();
  if (reader_.feed({}).state == ParseState::done) {
    dispatch();
    return true;
  }
  phase_ = Phase::body;
  set_deadline(limits().body_time);
  if (scanner_.facts().expects_continue && used == bytes.size()) out_.add_literal("HTTP/1.1 100 Continue\r\n\r\n");
  if (is_streamed(scanner_.facts().content_length.value_or(0))) dispatch_open();
  return true;
}

bool Connection::take_body(std::string_view bytes, std::size_t& used) {
  const std::string_view rest = bytes.substr(used);
  const Parsed parsed = reader_.feed(rest);
  used += parsed.used;
  switch (parsed.state) {
    case ParseState::done:
      dispatch();
      return true;
    case ParseState::bad_framing:
      refuse(Refusal{400, "the chunked body is malformed"});
      return true;
    case ParseState::too_long:
      refuse(Refusal{413, "the request body is longer than --max-request-body"});
      return true;
    case ParseState::too_many_trailers:
      refuse(Refusal{431, "the trailers are too large"});
      return true;
    case ParseState::need_more:
      break;
  }
  set_deadline(limits().body_time);  // measures time without progress
  if (is_streamed(request_.body.size())) {
    dispatch_open();
    return true;
  }
  if (bytes.size() - used <= limits().head_bytes) return false;
  refuse(Refusal{431, "a chunk header or the trailers are too large"});
  return true;
}

bool Connection::is_streamed(std::uint64_t body_bytes) const {
  return group_->shared().streams_bodies && body_bytes > limits().body_bytes;
}

/// Passes a request to the handler before its body is complete.
void Connection::dispatch_open() {
  body_is_open_ = true;
  dispatch();
}

/// Passes on more of an open body. Returns true if the reader may request more.
bool Connection::take_open_body(std::string_view bytes, std::size_t& used) {
  if (!body_taker_ || used == bytes.size()) return false;
  const Parsed parsed = reader_.feed(bytes.substr(used));
  used += parsed.used;
  const bool last = parsed.state == ParseState::done;
  const bool is_bad = !last && (parsed.state != ParseState::need_more || bytes.size() - used > limits().head_bytes);
  if (is_bad) {
    close();  // closing is the only possible signal, because a response may be in progress
    return true;
  }
  if (request_.body.empty() && !last) return false;
  if (last) body_is_open_ = false;
  clear_deadline();
  const auto taker = std::exchange(body_taker_, nullptr);
  call_handler([&] { taker(std::exchange(request_.body, std::string()), last); });
  return true;
}

/// Makes a long incoming request wait if there is no room for more of it.
void Connection::charge_buffers() {
  // A body is charged twice: for itself and for the handler's copy.
  const std::size_t holds = in_.capacity() + 2 * request_.body.capacity();
  const bool grows = holds > charge_.held();
  if (!still_comes()) end_turn();
  if (!still_comes() && phase_ != Phase::waiting) return charge_.set(holds);
  charge_.set_of_request(holds);
  if (phase_ == Phase::waiting || holds <= small_buffer) return;
  const auto now = group_->loop().now();
  if (!upload_) upload_ = group_->uploads().add(*this, now);
  (*upload_)->moved = now;
  if (!grows || group_->uploads().may_continue(*upload_, now, group_->anyone_waits())) return;
  (*upload_)->waits = true;
  set_deadline(limits().write_time);
}

void Connection::end_turn() {
  if (upload_) group_->uploads().remove(*std::exchange(upload_, std::nullopt));
}

void Connection::end_of_input() {
  input_ended_ = true;
  if (hangs_) return close();
  end_if_nothing_comes();
  if (phase_ == Phase::busy && body_is_open_) return close();
  if (phase_ == Phase::busy) return run_drained();
  if (phase_ == Phase::handshake || phase_ == Phase::lingering || (phase_ == Phase::closing && out_.empty())) close();
}

/// A client may close its side and still wait for responses, even to requests that are not handled yet. The connection
/// can close when all responses are written and the remaining input is not a complete request.
void Connection::end_if_nothing_comes() {
  const bool is_idle = phase_ == Phase::idle && in_.empty();  // otherwise take() runs soon
  if (!input_ended_ || (!is_idle && phase_ != Phase::head && phase_ != Phase::body)) return;
  phase_ = Phase::closing;
  lingers_ = false;
}

}  // namespace tapedeck::http
