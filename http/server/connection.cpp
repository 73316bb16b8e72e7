#include "http/server/connection.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace tapedeck::http {
namespace {

// Time for a refused client to read the reason before the socket is closed.
constexpr std::chrono::seconds linger_time{2};
constexpr std::chrono::seconds cold_after{1};

/// Returns the time over which a client's pace is measured.
std::chrono::milliseconds pace_time(const Limits& limits) {
  using std::chrono::milliseconds;
  return std::clamp(limits.write_time / 30, milliseconds(250), milliseconds(2000));
}

}  // namespace

bool Connection::has_room() const {
  if (group_->shared().has_room(charge_.held())) return true;
  // Memory of other waiting requests is not freed before this one continues.
  return BufferCharge::total() <= BufferCharge::of_requests() + limits().buffer_bytes / 8;
}

void Connection::dispatch() {
  if (!group_->anyone_waits() && has_room()) return handle();
  phase_ = Phase::waiting;
  set_deadline(limits().write_time);
  group_->wait_for_room(shared_from_this());
}

bool Connection::try_again() {
  if (phase_ != Phase::waiting) return true;
  if (!has_room()) return false;
  handle();
  if (phase_ == Phase::idle && !in_.empty()) {
    take({});
  } else {
    end_if_nothing_comes();
    go_on();
  }
  return true;
}

void Connection::handle() {
  ServerShared& shared = group_->shared();
  shared.requests.fetch_add(1, std::memory_order_relaxed);
  phase_ = Phase::busy;
  clear_deadline();
  charge_.set(charge_.held());  // ownership passes to the handler
  started_ = has_responded_ = false;
  writer_.begin(request_, scanner_.facts().keeps_alive() && !shared.closing.load(std::memory_order_relaxed));
  for (const Header& line : shared.added) request_.headers.set(line.name, line.value);
  in_handler_ = true;
  call_handler([&] { shared.handler->handle(make_exchange(weak_from_this(), group_->loop())); });
  in_handler_ = false;
  if (has_responded_ && phase_ == Phase::busy) response_written();
}

void Connection::call_handler(const std::function<void()>& function) {
  try {
    function();
  } catch (const std::exception& error) {
    handler_failed(error.what());
  } catch (...) {
    handler_failed("unknown error");
  }
}

void Connection::handler_failed(std::string_view what) {
  if (group_->shared().on_failed) group_->shared().on_failed(what);
  drained_ = nullptr;  // close() would call it again
  if (has_responded_) return;
  if (phase_ != Phase::busy || started_) return close();
  writer_.forbid_keep_alive();
  write_response(true, [](ResponseWriter& writer, OutQueue& out) {
    writer.respond(out, refusal_response(500, "internal error: the request has no response"));
  });
}

void Connection::read_body(std::function<void(std::string, bool)> took) {
  body_taker_ = std::move(took);
  set_deadline(limits().body_time);
  group_->loop().post([self = shared_from_this()] {
    if (self->phase_ == Phase::busy && self->body_taker_) self->take({});
  });
}

Request Connection::take_request() {
  Request taken = std::exchange(request_, Request());
  charge_.set(in_.capacity());
  return taken;
}

void Connection::expect(std::size_t bytes) {
  std::atomic<std::size_t>& longest = group_->shared().longest_reply;
  if (bytes > longest.load(std::memory_order_relaxed)) longest.store(bytes, std::memory_order_relaxed);
}

void Connection::write_response(bool last, const std::function<void(ResponseWriter&, OutQueue&)>& write) {
  if (phase_ != Phase::busy || has_responded_) return;
  if (body_is_open_ || group_->shared().closing.load(std::memory_order_relaxed)) writer_.forbid_keep_alive();
  write(writer_, out_);
  expect(out_.size());
  started_ = true;
  has_responded_ = last;
  if (in_handler_) return;
  if (!last) return send();
  response_written();
  if (in_.empty()) end_if_nothing_comes();
  send();
  // Continues on a fresh stack, because the caller may be deep in a handler.
  if (in_.empty()) return;
  group_->loop().post([self = shared_from_this()] {
    if (self->phase_ == Phase::idle) self->take({});
  });
}

void Connection::response_written() {
  constexpr std::size_t worth_keeping = 4 * 1024;
  if (request_.body.capacity() > worth_keeping) std::string().swap(request_.body);
  charge_.set(in_.capacity());
  drained_ = nullptr;
  if (body_is_open_) writer_.forbid_keep_alive();
  body_is_open_ = false;
  body_taker_ = nullptr;
  if (writer_.keeps_alive()) {
    become_idle();
  } else {
    phase_ = Phase::closing;
    lingers_ = !input_ended_ && scanner_.facts().keeps_alive();
  }
}

void Connection::fail(ConnectionFault how, std::chrono::microseconds longest) {
  if (phase_ != Phase::busy || has_responded_) return;
  switch (how) {
    case ConnectionFault::reset:
      reset_on_close();
      return close();
    case ConnectionFault::hang:
      hangs_ = true;
      if (input_ended_) return close();
      return after(longest, [this] { close(); });
    case ConnectionFault::close:
    case ConnectionFault::garbage:
      return write_response(true, [how](ResponseWriter& writer, OutQueue& out) {
        writer.forbid_keep_alive();
        if (how == ConnectionFault::garbage) out.add_literal("\x07\x1b[2JThis is no HTTP.\xff\xfe\r\n\r\n");
      });
  }
}

void Connection::after(std::chrono::microseconds delay, std::function<void()> task) {
  if (phase_ == Phase::closed) return;
  if (group_->shared().closing.load(std::memory_order_relaxed)) return close();
  later_ = std::move(task);
  start_timer(delay);
}

void Connection::timer_fired() {
  const std::function<void()> task = std::exchange(later_, nullptr);
  if (task && phase_ != Phase::closed) call_handler(task);
}

void Connection::refuse(const Refusal& refusal) {
  if (phase_ == Phase::closed || phase_ == Phase::closing || phase_ == Phase::lingering) return;
  group_->shared().refused.fetch_add(1, std::memory_order_relaxed);
  if (group_->shared().on_refused) group_->shared().on_refused(refusal.why);
  writer_.begin(Request{}, false);
  writer_.respond(out_, refusal_response(refusal.status, refusal.why));
  has_responded_ = true;
  phase_ = Phase::closing;
  lingers_ = true;
  std::string().swap(request_.body);
  charge_.set(0);
  end_turn();
}

void Connection::send() {
  if (!out_.empty()) return flush();
  if (phase_ == Phase::closing) sent_all();
}

void Connection::wrote(std::size_t count) {
  sent_ += count;
  out_.consume(count);
  if (out_.empty()) return sent_all();
  set_deadline(limits().write_time);
  untaken_ = 0;  // restarts client_took()
}

/// Returns true if the client has received bytes since the last call, even if there is no room yet to write more.
bool Connection::client_took() {
  const std::size_t now = untaken();
  return now < std::exchange(untaken_, now);
}

/// Checks whether the rest of the response would take longer than Limits::write_time at the client's pace.
void Connection::measure_pace(Clock::time_point now) {
  const std::uint64_t taken = sent_ - std::min<std::uint64_t>(sent_, untaken_);
  if (!paced_from_) paced_from_.emplace(now, taken);
  const auto [since, before] = *paced_from_;
  if (now - since < pace_time(limits())) return;
  const std::chrono::duration<double> time = now - since, longest = limits().write_time;
  is_slow_ = static_cast<double>(taken - std::min(before, taken)) * longest.count() <
             static_cast<double>(out_.size()) * time.count();
  paced_from_.emplace(now, taken);
}

void Connection::give_way() {
  if (group_->shared().on_refused) {
    group_->shared().on_refused("a client took its response too slowly while other requests waited for --buffer");
  }
  reset_on_close();
  close();
}

void Connection::sent_all() {
  paced_from_.reset();
  is_slow_ = false;
  if (phase_ == Phase::busy) clear_deadline();
  if (phase_ == Phase::idle) set_deadline(limits().idle_time);
  if (phase_ == Phase::closing) {
    phase_ = Phase::lingering;
    std::string().swap(in_);
    untaken_ = untaken();
    set_deadline(untaken_ == 0 ? std::chrono::milliseconds(linger_time) : limits().write_time);
    if (!end_output() && (!lingers_ || input_ended_)) close();
  }
  run_drained();
}

void Connection::run_drained() {
  if (!drained_ || phase_ == Phase::idle) return;
  const std::function<void()> callback = drained_;  // a copy, because it may set another callback
  call_handler(callback);
}

void Connection::sweep(Clock::time_point now) {
  // A response that the client receives slowly still needs the socket.
  if (phase_ == Phase::idle && !cold_ && out_.empty() && now - idle_since_ > cold_after) {
    cold_ = true;
    request_ = Request();
    release_buffer();
  }
  const bool is_sending = phase_ == Phase::idle || phase_ == Phase::busy || phase_ == Phase::closing;
  if (((is_sending && !out_.empty()) || phase_ == Phase::lingering) && client_took()) {
    const bool has_all = phase_ == Phase::lingering && untaken_ == 0;
    set_deadline(has_all ? std::chrono::milliseconds(linger_time) : limits().write_time);
  }
  if (is_sending && !out_.empty()) measure_pace(now);
  if (now >= deadline_) deadline_passed();
}

void Connection::deadline_passed() {
  if (phase_ == Phase::waiting || is_held_back()) {
    refuse(Refusal{503, "all buffers are in use; try again"});
    return go_on();
  }
  switch (phase_) {
    case Phase::head:
      refuse(Refusal{408, "timeout while receiving the request head"});
      return go_on();
    case Phase::body:
      refuse(Refusal{408, "timeout while receiving the request body"});
      return go_on();
    case Phase::idle:
      // For a slow client, the end of the last response may still be in the system's buffers.
      if (out_.empty() && client_took() && untaken_ > 0) return set_deadline(limits().idle_time);
      return close();
    default:
      return close();
  }
}

void Connection::close_when_idle() {
  const bool waits = phase_ == Phase::idle || phase_ == Phase::head || phase_ == Phase::handshake;
  if ((waits && out_.empty()) || later_) return close();
  writer_.forbid_keep_alive();
  if (phase_ == Phase::idle) phase_ = Phase::closing;
}

void Connection::close() {
  if (phase_ == Phase::closed) return;
  const auto self = shared_from_this();  // the group may have the last other reference
  phase_ = Phase::closed;
  stop_timer();
  const std::function<void()> never = std::exchange(later_, nullptr);
  close_stream();
  out_.clear();
  charge_.set(0);
  end_turn();
  group_->remove(*this);
  run_drained();
  drained_ = nullptr;
  body_is_open_ = false;
  if (const auto taker = std::exchange(body_taker_, nullptr)) call_handler([&] { taker({}, true); });
}

}  // namespace tapedeck::http
