// The second half of a transfer: its deadlines, and what the client gets once the story is committed.

#include <utility>

#include "http/device/transfer.h"

namespace tapedeck::http {

void Transfer::sweep(Clock::time_point now) {
  switch (phase_) {
    case Phase::connecting:
      if (now - began_ < limits().connect_time) return;
      return fail(Ending::timed_out, "the device did not accept a connection in time", 504);
    case Phase::head:
    case Phase::body:
      return check_device(now);
    case Phase::committing:
      if (now < commit_by_) return;
      client_->commit_overdue();
      return release();
    case Phase::over:
      return;
  }
}

void Transfer::check_device(Clock::time_point now) {
  const bool silent = story_.first_byte == std::chrono::system_clock::time_point();
  if (paused_) read_on();
  if (now - began_ >= limits().answer_time) {
    return fail(Ending::timed_out, "the answer was not whole in time", 504);
  }
  if (silent && sent_ && now - request_sent_ >= limits().first_byte_time) {
    return fail(Ending::timed_out, "the device did not begin to answer in time", 504);
  }
  if (silent && !sent_ && now - connection_->last_sent() >= limits().stall_time) {
    return fail(Ending::timed_out, "the device stopped taking the request", 504);
  }
  if (!silent && reading_ && now - last_read_ >= limits().stall_time) {
    return fail(Ending::timed_out, "the device stopped sending its answer", 504);
  }
  if (phase_ == Phase::body && !live_ && now - first_byte_ >= host_.options().hold_time) go_live();
}

void Transfer::deliver() {
  if (!answered_) return exchange_->respond(std::move(delivered_));
  const bool held_whole = good_ && !live_;
  if (held_whole && (!to_head_ || delivered_.headers.contains("Content-Length"))) {
    delivered_.body = std::move(held_body_);
    return exchange_->respond(std::move(delivered_));
  }
  if (!live_) exchange_->start(std::move(delivered_));
  exchange_->write(live_ ? std::move(tail_) : std::move(held_body_));
  if (good_) return exchange_->finish();
  cut_off();
}

/// Lets what there is go out, and then ends the connection so that the client sees the cut.
void Transfer::cut_off() {
  if (exchange_->unsent() == 0) return exchange_->abort();
  exchange_->on_drained([exchange = exchange_] { exchange->abort(); });
}

void Transfer::stop() {
  if (phase_ == Phase::committing || phase_ == Phase::over) return;
  fail(Ending::stopped, "the run was ended before the answer was whole", 503);
}

void Transfer::drop() {
  phase_ = Phase::over;
  charge(0);
  if (connection_) std::exchange(connection_, nullptr)->close();
}

}  // namespace tapedeck::http
