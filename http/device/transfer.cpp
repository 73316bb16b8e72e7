#include "http/device/transfer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "http/message/hop_by_hop.h"

namespace tapedeck::http {
namespace {

using SystemClock = std::chrono::system_clock;

constexpr std::size_t longest_framing = 64 * 1024;  // limit for a chunk header or the trailers
constexpr int most_informational = 16;
/// Devices may send more headers than clients. The number is limited because each stored header takes much memory, even
/// if it is empty.
constexpr HeadLimits response_head{64 * 1024, 1'000, 0, 0};

bool is_event_stream(const Headers& headers) { return equal_no_case(media_type(headers), "text/event-stream"); }

}  // namespace

Transfer::Transfer(TransferHost& host, std::shared_ptr<Exchange> exchange, Request head, std::string_view body,
                   bool is_read, std::shared_ptr<RelayClient> client)
    : host_(host),
      exchange_(std::move(exchange)),
      client_(std::move(client)),
      is_read_(is_read),
      to_head_(head.method == "HEAD"),
      upload_(std::make_shared<Upload>(std::move(head), body, exchange_, host.options().device)),
      response_(exchange_, host.options().limits.max_body, to_head_) {}

// ---- Sending the request

void Transfer::begin() {
  result_.started = SystemClock::now();
  if (host_.is_closing()) return stop();
  attempt(false);
}

void Transfer::attempt(bool fresh) {
  began_ = Clock::now();
  connection_ = fresh ? nullptr : host_.kept_connection();
  if (connection_) return send();
  phase_ = Phase::connecting;
  connection_ = host_.new_connection();
  connection_->open(host_.options().device,
                    [self = shared_from_this(), tried = connection_](const std::optional<std::string>& failure) {
                      if (self->connection_ != tried || self->phase_ != Phase::connecting) return;
                      if (failure) return self->fail(Ending::unreachable, *failure, 502);
                      self->send();
                    });
}

void Transfer::send() {
  phase_ = Phase::head;
  progress_ = Clock::now();
  upload_->begin(connection_, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self) self->fail(Ending::cut, "the client disconnected before its request was complete", 400);
  });
  read_on();
}

bool Transfer::retries() {
  // The device may close an idle connection at the moment when it is used again. Only a read may be sent twice.
  if (!is_read_ || upload_->is_streamed() || retried_ || !connection_->reused) return false;
  retried_ = true;
  std::exchange(connection_, nullptr)->close();
  attempt(true);
  return true;
}

// ---- Receiving the response

void Transfer::read_on() {
  if (phase_ == Phase::ended || !connection_ || client_ended_it()) return;
  if (reading_ || !response_.wants_more()) return;  // client_moved() continues
  paused_ = !host_.may_read(*this);
  if (paused_) return;
  reading_ = true;
  progress_ = Clock::now();
  const auto answered = [self = shared_from_this(), used = connection_](std::string_view bytes,
                                                                        DeviceConnection::Ended ended) {
    if (self->connection_ == used) self->on_received(bytes, ended);
  };
  connection_->read(answered);
}

void Transfer::on_received(std::string_view bytes, DeviceConnection::Ended ended) {
  progress_ = Clock::now();
  if (ended != DeviceConnection::Ended::no) {
    reading_ = false;
    return connection_ended(ended == DeviceConnection::Ended::cleanly);
  }
  heard_ = true;
  if (result_.first_byte == SystemClock::time_point()) {
    first_byte_ = progress_;
    result_.first_byte = SystemClock::now();
  }
  // `reading_` stays true meanwhile. The passed bytes may be drained immediately, and a read before the end of the
  // response is known would stay on the kept connection and receive the next response.
  taking_ = true;
  take_bytes(bytes);
  update_charge();
  taking_ = reading_ = false;
  read_on();
}

void Transfer::take_bytes(std::string_view bytes) {
  std::string all = std::exchange(in_, std::string());
  if (!all.empty()) bytes = all.append(bytes);
  while (phase_ == Phase::head && take_head(bytes)) continue;
  if (in_body()) return take_body(bytes);
  if (phase_ == Phase::head) in_.assign(bytes);
}

/// Takes a complete head off the front of `bytes`. Returns true if another one may follow.
bool Transfer::take_head(std::string_view& bytes) {
  const HeadScanner::State state = scanner_.feed(bytes, response_head);
  if (state == HeadScanner::State::need_more) return false;
  if (state == HeadScanner::State::refused) {
    fail(Ending::bad_framing, "malformed response: " + std::string(scanner_.refusal().why), 502);
    return false;
  }
  scanner_.read(bytes, received_);
  bytes.remove_prefix(scanner_.end());
  const int status = scanner_.facts().status;
  if (status >= 200) {
    head_is_whole(!bytes.empty());
    return false;
  }
  if (status == 101 || ++informational_ > most_informational) {
    fail(Ending::bad_framing, "malformed response: unexpected informational response", 502);
    return false;
  }
  scanner_.reset();
  if (bytes.empty()) result_.first_byte = {};
  return !bytes.empty();
}

void Transfer::head_is_whole(bool more_came) {
  reader_.begin_response(scanner_.facts(), received_.body, to_head_);
  result_.has_head = true;
  phase_ = Phase::body;
  const std::optional<std::uint64_t> length = scanner_.facts().content_length;
  has_length_ = length.has_value();
  is_stream_ = is_event_stream(received_.headers);
  remove_hop_by_hop(received_.headers);
  client_->rewrite(received_);
  response_.begin(std::exchange(received_, Response()), length);
  if (reader_.feed({}).state == ParseState::done) return response_is_complete(more_came);
  if (is_stream_) go_live();
}

void Transfer::take_body(std::string_view bytes) {
  if (bytes.empty() || !in_body()) return;
  const Parsed parsed = reader_.feed(bytes);
  pass_body_on();
  const std::string_view rest = bytes.substr(parsed.used);
  if (parsed.state == ParseState::done) return response_is_complete(!rest.empty());
  if (parsed.state != ParseState::need_more || rest.size() > longest_framing) {
    return fail(Ending::bad_framing, "malformed response: invalid chunked encoding", 502);
  }
  in_.assign(rest);
}

/// Keeps the new bytes of the body, passes them on, or both.
void Transfer::pass_body_on() {
  if (received_.body.empty()) return;
  response_.add(std::exchange(received_.body, std::string()));
  if (!has_length_) note_piece();
  if (!response_.keeps_body()) go_live();
  response_.pass_on();
}

void Transfer::note_piece() {
  const Relayed::Piece piece{SystemClock::now(), response_.body_bytes()};
  // Most responses arrive in one piece. They are not streams.
  if (!first_piece_) {
    first_piece_ = piece;
    return;
  }
  if (result_.pieces.empty()) result_.pieces.push_back(*first_piece_);
  if (result_.pieces.size() < host_.options().most_pieces) result_.pieces.push_back(piece);
}

void Transfer::go_live() {
  response_.go_live([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->client_moved();
  });
  update_charge();
}

void Transfer::update_charge() {
  if (phase_ != Phase::ended) charge_.set(in_.size() + response_.held());
}

/// Called when the client has received everything, has closed its side, or has disconnected.
void Transfer::client_moved() {
  if (taking_ || response_.is_passing() || !in_body()) return;
  response_.pass_on();
  update_charge();
  read_on();
}

/// A client that disconnects ends a stream. Other responses are read to the end if they can be kept.
bool Transfer::client_ended_it() {
  if (taking_ || !response_.is_live()) return false;
  const bool left = response_.client_is_gone() || (is_stream_ && exchange_->input_ended());
  if (!left || (has_length_ && response_.keeps_body())) return false;
  if (response_.keeps_body()) {
    finish(Ending::ended_by_client, "");
  } else {
    finish(Ending::too_long, "the response is larger than the limit and the client has disconnected");
  }
  return true;
}

void Transfer::connection_ended(bool cleanly) {
  if (phase_ == Phase::head) {
    if (!heard_ && retries()) return;
    if (!heard_) return fail(Ending::unreachable, "the device closed the connection without a response", 502);
    return fail(Ending::cut, "the response ended within its head", 502);
  }
  const bool whole = cleanly && reader_.ends_with_connection();
  if (whole) return response_is_complete(true);
  fail(Ending::cut, "the connection was closed before the response was complete", 502);
}

// ---- Timeouts

void Transfer::sweep(Clock::time_point now) {
  switch (phase_) {
    case Phase::connecting:
      if (now - began_ < limits().connect_time) return;
      return fail(Ending::timed_out, "timeout while connecting to the device", 504);
    case Phase::head:
    case Phase::body:
      return check_device(now);
    case Phase::ended:
      if (now < commit_by_ || !response_.is_committing()) return;
      client_->commit_overdue();
      return release();
  }
}

/// Checks deadlines, each of which measures time without progress.
void Transfer::check_device(Clock::time_point now) {
  if (in_body() && !response_.is_live() && now - first_byte_ >= host_.options().hold_time) go_live();
  read_on();
  if (phase_ == Phase::ended) return;
  if (!reading_) progress_ = now;  // reading is paused, so the device causes no delay
  const bool is_silent = result_.first_byte == SystemClock::time_point();
  if ((is_silent || !upload_->is_sent()) && !upload_->is_taken(now)) {
    if (now - std::max(progress_, upload_->progress()) < limits().stall_time) return;
    return fail(Ending::timed_out, "timeout while sending the request to the device", 504);
  }
  if (is_silent) {
    if (now - std::max(progress_, upload_->progress()) < limits().first_byte_time) return;
    return fail(Ending::timed_out, "timeout while waiting for a response from the device", 504);
  }
  const auto patience = is_stream_ ? limits().answer_time : std::min(limits().stall_time, limits().answer_time);
  if (now - progress_ >= patience) fail(Ending::timed_out, "timeout while receiving the response from the device", 504);
}

// ---- Ending

void Transfer::response_is_complete(bool more_came) {
  const bool reusable =
      upload_->is_sent() && !more_came && scanner_.facts().keeps_alive() && !reader_.ends_with_connection();
  if (reusable) host_.keep(std::exchange(connection_, nullptr));
  if (response_.keeps_body()) return finish(Ending::whole, "");
  finish(Ending::too_long, "the response is larger than the limit");
}

/// `status` is for a client that has not received a head.
void Transfer::fail(Ending ending, std::string detail, int status) {
  if (phase_ == Phase::ended) return;
  if (!result_.has_head) response_.replace(refusal_response(status, detail));
  finish(ending, std::move(detail));
}

void Transfer::finish(Ending ending, std::string detail) {
  if (phase_ == Phase::ended) return;
  phase_ = Phase::ended;
  commit_by_ = Clock::now() + host_.options().commit_time;
  upload_->end();
  if (connection_) std::exchange(connection_, nullptr)->close();
  std::string().swap(in_);
  result_.ending = ending;
  result_.detail = std::move(detail);
  result_.ended = SystemClock::now();
  result_.body_bytes = response_.body_bytes();
  if (!response_.is_live()) result_.pieces.clear();
  result_.response = Response{response_.head().status, response_.head().reason, response_.head().headers, {}};
  result_.response.body = response_.end();
  const bool good = ending == Ending::whole || ending == Ending::ended_by_client || ending == Ending::too_long;
  std::shared_ptr<const std::string> body = client_->ended(std::move(result_), host_.receipt_for(weak_from_this()));
  charge_.set(response_.held());  // the client counts the body from here on
  response_.commit(std::move(body), good);
}

void Transfer::release() {
  if (!response_.is_committing()) return;
  const auto self = shared_from_this();  // remove() drops the other reference
  charge_.set(0);
  response_.release();
  host_.remove(*this);
}

void Transfer::stop() { fail(Ending::stopped, "the recording was stopped before the response was complete", 503); }

void Transfer::drop() {
  phase_ = Phase::ended;
  upload_->end();
  response_.drop();
  charge_.set(0);
  if (connection_) std::exchange(connection_, nullptr)->close();
}

}  // namespace tapedeck::http
