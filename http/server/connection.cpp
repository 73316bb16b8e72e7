#include "http/server/connection.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace tapedeck::http {
namespace {

// Time for a refused client to read the reason before the socket is closed.
constexpr std::chrono::seconds linger_time{2};

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
  enter(WaitingForRoom{});
  set_deadline(limits().write_time);
  group_->wait_for_room(shared_from_this());
}

bool Connection::try_again() {
  if (!is<WaitingForRoom>()) return true;
  if (!has_room()) return false;
  handle();
  if (is<Idle>() && !in_.empty()) {
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
  enter(Handling{});
  clear_deadline();
  charge_.set(charge_.held());  // ownership passes to the handler
  writer_.begin(request_, scanner_.facts().keeps_alive() && !shared.closing.load(std::memory_order_relaxed));
  for (const Header& line : shared.added) request_.headers.set(line.name, line.value);
  call_handler([&] { shared.handler->handle(make_exchange(weak_from_this(), group_->loop())); });
  Handling* const handling = in<Handling>();
  if (!handling) return;
  handling->has_returned = true;
  if (handling->answer == Handling::Answer::whole) response_written();
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
  Handling* const handling = in<Handling>();
  if (!handling) return;
  handling->drained = nullptr;  // close() would call it again
  if (handling->answer == Handling::Answer::whole) return;
  if (handling->answer != Handling::Answer::none) return close();
  writer_.forbid_keep_alive();
  write_response(true, [](ResponseWriter& writer, OutQueue& out) {
    writer.respond(out, refusal_response(500, "internal error: the request has no response"));
  });
}

void Connection::read_body(std::function<void(std::string, bool)> took) {
  if (Handling* const handling = in<Handling>()) handling->body_taker = std::move(took);
  if (!writer_.ends_with_connection()) set_deadline(limits().body_time);  // another protocol has its own times
  group_->loop().post([self = shared_from_this()] {
    const Handling* const handling = self->in<Handling>();
    if (handling && handling->body_taker) self->take({});
  });
}

Request Connection::take_request() {
  Request taken = std::exchange(request_, Request());
  charge_.set(in_.capacity());
  return taken;
}

void Connection::on_drained(std::function<void()> callback) {
  if (Handling* const handling = in<Handling>()) handling->drained = std::move(callback);
}

void Connection::expect(std::size_t bytes) {
  std::atomic<std::size_t>& longest = group_->shared().longest_reply;
  if (bytes > longest.load(std::memory_order_relaxed)) longest.store(bytes, std::memory_order_relaxed);
}

void Connection::write_response(bool last, const std::function<void(ResponseWriter&, OutQueue&)>& write) {
  using Answer = Handling::Answer;
  Handling* const handling = in<Handling>();
  if (!handling || (handling->answer != Answer::none && handling->answer != Answer::begun)) return;
  if (body_is_open() || group_->shared().closing.load(std::memory_order_relaxed)) writer_.forbid_keep_alive();
  write(writer_, out_);
  expect(out_.size());
  handling->answer = last ? Answer::whole : Answer::begun;
  if (!handling->has_returned) return;
  if (!last) return send();
  response_written();
  if (in_.empty()) end_if_nothing_comes();
  send();
  // Continues on a fresh stack, because the caller may be deep in a handler.
  if (in_.empty()) return;
  group_->loop().post([self = shared_from_this()] {
    if (self->is<Idle>()) self->take({});
  });
}

void Connection::response_written() {
  constexpr std::size_t worth_keeping = 4 * 1024;
  if (request_.body.capacity() > worth_keeping) std::string().swap(request_.body);
  charge_.set(in_.capacity());
  if (body_is_open()) writer_.forbid_keep_alive();
  if (writer_.keeps_alive()) return become_idle();
  const bool lingers = !input_ended_ && scanner_.facts().keeps_alive();
  enter(Closing{lingers ? Closing::Step::sends_and_lingers : Closing::Step::sends});
}

void Connection::fail(ConnectionFault how, std::chrono::microseconds longest) {
  Handling* const handling = in<Handling>();
  if (!handling || handling->answer == Handling::Answer::whole) return;
  switch (how) {
    case ConnectionFault::reset:
      reset_on_close();
      return close();
    case ConnectionFault::hang:
      handling->answer = Handling::Answer::nothing_more;
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
  Handling* const handling = in<Handling>();
  if (!handling) return;
  if (group_->shared().closing.load(std::memory_order_relaxed)) return close();
  handling->later = std::move(task);
  start_timer(delay);
}

void Connection::timer_fired() {
  Handling* const handling = in<Handling>();
  if (!handling) return;
  if (const auto task = std::exchange(handling->later, nullptr)) call_handler(task);
}

void Connection::refuse(const Refusal& refusal) {
  if (is<Closed>() || is<Closing>()) return;
  group_->shared().refused.fetch_add(1, std::memory_order_relaxed);
  if (group_->shared().on_refused) group_->shared().on_refused(refusal.why);
  writer_.begin(Request{}, false);
  writer_.respond(out_, refusal_response(refusal.status, refusal.why));
  enter(Closing{Closing::Step::sends_and_lingers});
  std::string().swap(request_.body);
  charge_.set(0);
}

void Connection::send() {
  if (!out_.empty()) return flush();
  if (is<Closing>()) sent_all();
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
  if (!pace_) pace_ = Pace{now, taken};
  if (now - pace_->since < pace_time(limits())) return;
  const std::chrono::duration<double> time = now - pace_->since, longest = limits().write_time;
  const auto received = static_cast<double>(taken - std::min(pace_->taken, taken));
  pace_ = Pace{now, taken, received * longest.count() < static_cast<double>(out_.size()) * time.count()};
}

void Connection::give_way() {
  if (group_->shared().on_refused) {
    group_->shared().on_refused("a client took its response too slowly while other requests waited for --buffer");
  }
  reset_on_close();
  close();
}

void Connection::sent_all() {
  pace_.reset();
  if (is<Handling>()) clear_deadline();
  if (is<Idle>()) set_deadline(limits().idle_time);
  Closing* const closing = in<Closing>();
  if (!closing || closing->step == Closing::Step::lingers) return run_drained();
  const bool lingers = std::exchange(closing->step, Closing::Step::lingers) == Closing::Step::sends_and_lingers;
  std::string().swap(in_);
  untaken_ = untaken();
  set_deadline(untaken_ == 0 ? std::chrono::milliseconds(linger_time) : limits().write_time);
  if (!end_output() && (!lingers || input_ended_)) close();
}

void Connection::run_drained() {
  const Handling* const handling = in<Handling>();
  if (!handling || !handling->drained) return;
  const std::function<void()> callback = handling->drained;  // a copy, because it may set another callback
  call_handler(callback);
}

void Connection::sweep(Clock::time_point now) {
  // A response that the client receives slowly still needs the socket.
  Idle* const idle = in<Idle>();
  if (idle && idle->buffers_until && out_.empty() && now > *idle->buffers_until) {
    idle->buffers_until.reset();
    request_ = Request();
    release_buffer();
  }
  const Closing* const closing = in<Closing>();
  const bool lingers = closing && closing->step == Closing::Step::lingers;
  const bool is_sending = !lingers && !out_.empty() && (is<Idle>() || is<Handling>() || closing);
  if ((is_sending || lingers) && client_took()) {
    set_deadline(lingers && untaken_ == 0 ? std::chrono::milliseconds(linger_time) : limits().write_time);
  }
  if (is_sending) measure_pace(now);
  if (now >= deadline_) deadline_passed();
}

void Connection::deadline_passed() {
  if (is<WaitingForRoom>() || is_held_back()) {
    refuse(Refusal{503, "all buffers are in use; try again"});
    return go_on();
  }
  if (is<Reading>()) {
    refuse(Refusal{408, reads(Part::head) ? "timeout while receiving the request head"
                                          : "timeout while receiving the request body"});
    return go_on();
  }
  // For a slow client, the end of the last response may still be in the system's buffers.
  if (is<Idle>() && out_.empty() && client_took() && untaken_ > 0) return set_deadline(limits().idle_time);
  close();
}

void Connection::close_when_idle() {
  const bool waits = is<Idle>() || is<Handshake>() || reads(Part::head);
  Handling* const handling = in<Handling>();
  const bool is_other_protocol = body_is_open() && writer_.ends_with_connection();
  if (handling && is_other_protocol) {
    // A client may have ended its part just now. What it sent is still read.
    constexpr std::chrono::milliseconds time_to_read{100};
    handling->later = [this] { close(); };
    return start_timer(time_to_read);
  }
  if ((waits && out_.empty()) || (handling && handling->later)) return close();
  writer_.forbid_keep_alive();
  if (is<Idle>()) enter(Closing{});
}

void Connection::close() {
  if (is<Closed>()) return;
  const auto self = shared_from_this();  // the group may have the last other reference
  State last = enter(Closed{});
  stop_timer();
  close_stream();
  out_.clear();
  charge_.set(0);
  group_->remove(*this);
  const Handling* const handling = std::get_if<Handling>(&last);
  if (handling && handling->drained) call_handler(handling->drained);
  if (handling && handling->body_taker) call_handler([&] { handling->body_taker({}, true); });
}

}  // namespace tapedeck::http
