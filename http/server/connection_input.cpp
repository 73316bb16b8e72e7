// Turns input into a head, a body, and a request that is either complete or still receives its body.

#include <limits>
#include <utility>

#include "http/message/websocket.h"
#include "http/server/connection.h"

namespace tapedeck::http {
namespace {

constexpr std::size_t small_buffer = 4 * 1024;
constexpr std::chrono::seconds cold_after{1};  // then an idle connection frees its buffers

}  // namespace

void Connection::begin_handshake() {
  enter(Handshake{});
  set_deadline(limits().head_time);
}

void Connection::become_idle() {
  const Clock::time_point now = group_->loop().now();
  enter(Idle{now + cold_after});
  scanner_.reset();
  deadline_ = now + limits().idle_time;
  untaken_ = std::numeric_limits<std::size_t>::max();
}

void Connection::take(std::string_view bytes) {
  if (is<Closing>()) return want_input();
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
  if (out_.empty() || !is<Idle>()) return go_on();
  group_->go_on_together(shared_from_this());
}

void Connection::go_on() {
  if (is<Closed>()) return;
  send();
  const Handling* const handling = in<Handling>();
  const bool wants_body = handling && handling->body_taker;
  const bool full =
      (handling || is<WaitingForRoom>()) && !wants_body && (!reader_.is_done() || in_.size() >= small_buffer);
  if (!is<Closed>() && !input_ended_ && !full && !is_held_back()) want_input();
}

void Connection::read_on() {
  set_deadline(reads(Part::head) ? limits().head_time : limits().body_time);
  go_on();
}

/// Gives input to the current state, until none is left or the state does not take it.
std::size_t Connection::consume(std::string_view bytes) {
  std::size_t used = 0;
  for (bool goes_on = true; goes_on;) {
    if (is<Closing>() || is<Closed>()) return bytes.size();
    if (is<Idle>()) {
      if (used == bytes.size()) return used;
      enter(Reading{});
      set_deadline(limits().head_time);
    }
    goes_on = reads(Part::head)   ? take_head(bytes, used)
              : reads(Part::body) ? take_body(bytes, used)
                                  : is<Handling>() && take_open_body(bytes, used);
  }
  return used;
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
  if (asks_for_websocket(request_)) {
    reader_.begin_takeover(request_.body);
    dispatch();
    return true;
  }
  if (reader_.feed({}).state == ParseState::done) {
    dispatch();
    return true;
  }
  std::get<Reading>(state_).part = Part::body;
  set_deadline(limits().body_time);
  if (scanner_.facts().expects_continue && used == bytes.size()) out_.add_literal("HTTP/1.1 100 Continue\r\n\r\n");
  if (is_streamed(scanner_.facts().content_length.value_or(0))) dispatch();
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
    dispatch();
    return true;
  }
  if (bytes.size() - used <= limits().head_bytes) return false;
  refuse(Refusal{431, "a chunk header or the trailers are too large"});
  return true;
}

/// Returns true if the handler gets the request before its body is complete.
bool Connection::is_streamed(std::uint64_t body_bytes) const {
  return group_->shared().streams_bodies && body_bytes > limits().body_bytes;
}

/// Passes on more of an open body. Returns true if the reader may request more.
bool Connection::take_open_body(std::string_view bytes, std::size_t& used) {
  Handling& handling = std::get<Handling>(state_);
  if (!handling.body_taker || used == bytes.size()) return false;
  const Parsed parsed = reader_.feed(bytes.substr(used));
  used += parsed.used;
  const bool last = parsed.state == ParseState::done;
  const bool is_bad = !last && (parsed.state != ParseState::need_more || bytes.size() - used > limits().head_bytes);
  if (is_bad) {
    close();  // closing is the only possible signal, because a response may be in progress
    return true;
  }
  if (request_.body.empty() && !last) return false;
  clear_deadline();
  const auto taker = std::exchange(handling.body_taker, nullptr);
  call_handler([&] { taker(std::exchange(request_.body, std::string()), last); });
  return true;
}

/// Makes a long incoming request wait if there is no room for more of it.
void Connection::charge_buffers() {
  // A body is charged twice: for itself and for the handler's copy.
  const std::size_t holds = in_.capacity() + 2 * request_.body.capacity();
  const bool grows = holds > charge_.held();
  Reading* const reading = in<Reading>();
  if (!reading && !is<WaitingForRoom>()) return charge_.set(holds);
  charge_.set_of_request(holds);
  if (!reading || holds <= small_buffer) return;
  const auto now = group_->loop().now();
  UploadQueue& uploads = group_->uploads();
  if (!reading->upload) reading->upload = std::make_unique<UploadQueue::Upload>(uploads, *this);
  reading->upload->moved = now;
  if (!grows || uploads.may_continue(*reading->upload, now, group_->anyone_waits())) return;
  reading->upload->waits = true;
  set_deadline(limits().write_time);
}

void Connection::end_of_input() {
  input_ended_ = true;
  end_if_nothing_comes();
  if (const Handling* const handling = in<Handling>()) {
    const bool is_useless = handling->answer == Handling::Answer::nothing_more || body_is_open();
    return is_useless ? close() : run_drained();
  }
  const Closing* const closing = in<Closing>();
  if (is<Handshake>() || (closing && (out_.empty() || closing->step == Closing::Step::lingers))) close();
}

/// A client may close its side and still wait for responses, even to requests that are not handled yet. The connection
/// can close when all responses are written and the remaining input is not a complete request.
void Connection::end_if_nothing_comes() {
  const bool is_idle = is<Idle>() && in_.empty();  // otherwise take() runs soon
  if (input_ended_ && (is_idle || is<Reading>())) enter(Closing{});
}

}  // namespace tapedeck::http
