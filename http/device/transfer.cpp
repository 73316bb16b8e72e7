#include "http/device/transfer.h"

#include <atomic>
#include <limits>
#include <utility>

#include "http/message/hop_by_hop.h"

namespace tapedeck::http {
namespace {

constexpr std::size_t longest_framing = 64 * 1024;  // of a chunk's header line or the trailers
constexpr std::size_t tail_bytes = 1024;            // held back of a live answer
constexpr std::size_t unsent_enough = 256 * 1024;   // then the client is waited for
constexpr int most_informational = 16;
/// A device may send as many lines as it likes; how long they are together bounds them.
constexpr HeadLimits answer_head{64 * 1024, std::numeric_limits<std::size_t>::max(), 0, 0};

/// What `committed` holds: has the transfer released once, on its loop, also when it is dropped without being called.
class CommitToken {
 public:
  CommitToken(std::shared_ptr<Releases> releases, std::weak_ptr<Transfer> transfer)
      : releases_(std::move(releases)), transfer_(std::move(transfer)) {}
  ~CommitToken() { fire(); }
  CommitToken(const CommitToken&) = delete;
  CommitToken& operator=(const CommitToken&) = delete;

  void fire() {
    if (!fired_.exchange(true)) releases_->add(std::move(transfer_));
  }

 private:
  std::shared_ptr<Releases> releases_;
  std::weak_ptr<Transfer> transfer_;
  std::atomic<bool> fired_{false};
};

bool needs_length(const std::string& method) { return method == "POST" || method == "PUT" || method == "PATCH"; }

}  // namespace

Transfer::Transfer(TransferHost& host, std::shared_ptr<Exchange> exchange, Request request, bool is_read,
                   std::shared_ptr<RelayClient> client)
    : host_(host),
      exchange_(std::move(exchange)),
      client_(std::move(client)),
      is_read_(is_read),
      to_head_(request.method == "HEAD") {
  story_.sent = std::move(request);
}

void Transfer::begin() {
  story_.started = std::chrono::system_clock::now();
  began_ = Clock::now();
  prepare_request();
  if (host_.is_closing()) return stop();
  attempt(false);
}

void Transfer::prepare_request() {
  Request& request = story_.sent;
  Headers& headers = request.headers;
  const bool had_length = headers.contains("Content-Length");
  remove_hop_by_hop(headers);
  headers.erase("Expect");  // the listener has told the client to go on
  headers.erase("Content-Length");
  headers.set("Host", host_.options().device.authority());
  if (had_length || !request.body.empty() || needs_length(request.method)) {
    headers.add("Content-Length", std::to_string(request.body.size()));
  }
  request.minor_version = 1;
  const std::string lines = headers.to_text();
  request_head_.reserve(request.method.size() + request.target.size() + lines.size() + 16);
  request_head_.append(request.method).append(" ").append(request.target).append(" HTTP/1.1\r\n");
  request_head_.append(lines).append("\r\n");
  charge(request.body.size());
}

void Transfer::attempt(bool fresh) {
  began_ = Clock::now();
  connection_ = fresh ? nullptr : host_.kept_connection();
  if (connection_) return send();
  phase_ = Phase::connecting;
  connection_ = host_.new_connection();
  connection_->open(host_.options().device, [self = shared_from_this(), tried = connection_](std::string failure) {
    if (self->connection_ == tried && self->phase_ == Phase::connecting) self->opened(failure);
  });
}

void Transfer::opened(const std::string& failure) {
  if (!failure.empty()) return fail(Ending::unreachable, failure, 502);
  send();
}

void Transfer::send() {
  phase_ = Phase::head;
  sent_ = false;
  last_read_ = Clock::now();
  connection_->send({request_head_, story_.sent.body}, [self = shared_from_this(), used = connection_](bool sent) {
    if (self->connection_ != used) return;
    // When sending fails the device may have answered already: the read that waits tells.
    self->sent_ = sent;
    self->request_sent_ = Clock::now();
  });
  read_on();
}

// ---- the answer comes in

void Transfer::read_on() {
  if (reading_ || !connection_ || phase_ == Phase::committing || phase_ == Phase::over) return;
  if (live_ && exchange_->gone() && !keeps_body_) {
    // Nobody is left to read it, and it is too long to be kept.
    return finish(Ending::too_long, "the answer is longer than the limit and its client has gone");
  }
  if (live_ && !exchange_->gone() && exchange_->unsent() > unsent_enough) return;  // on_drained goes on
  paused_ = BufferCharge::total() > limits().buffer_bytes && !host_.may_read(*this);
  if (paused_) return;
  reading_ = true;
  last_read_ = Clock::now();
  const auto answered = [self = shared_from_this(), used = connection_](std::string_view bytes,
                                                                        DeviceConnection::Ended ended) {
    if (self->connection_ == used) self->took(bytes, ended);
  };
  connection_->read(answered);
}

void Transfer::took(std::string_view bytes, DeviceConnection::Ended ended) {
  last_read_ = Clock::now();
  if (ended != DeviceConnection::Ended::no) {
    reading_ = false;
    return connection_ended(ended == DeviceConnection::Ended::cleanly);
  }
  if (story_.first_byte == std::chrono::system_clock::time_point()) {
    first_byte_ = last_read_;
    story_.first_byte = std::chrono::system_clock::now();
  }
  // Still "reading" meanwhile: what is passed on may be drained at once, and a read that on_drained began before the
  // answer's end is known would stay on the kept connection and swallow the next answer.
  take_bytes(bytes);
  reading_ = false;
  if (!is_receiving()) return;
  charge(story_.sent.body.size() + story_.received.body.capacity() + in_.capacity());
  read_on();
}

void Transfer::take_bytes(std::string_view bytes) {
  std::string all = std::exchange(in_, std::string());
  if (!all.empty()) bytes = all.append(bytes);
  while (phase_ == Phase::head && take_head(bytes)) continue;
  if (phase_ == Phase::body) return take_body(bytes);
  if (phase_ == Phase::head) in_.assign(bytes);
}

/// Takes a whole head off the front of `bytes`. True when another one may follow.
bool Transfer::take_head(std::string_view& bytes) {
  const HeadScanner::State state = scanner_.feed(bytes, answer_head);
  if (state == HeadScanner::State::need_more) return false;
  if (state == HeadScanner::State::refused) {
    fail(Ending::bad_framing, "the answer is malformed: " + std::string(scanner_.refusal().why), 502);
    return false;
  }
  const std::string_view head = scanner_.head(bytes);
  bytes.remove_prefix(scanner_.end());
  const int status = scanner_.facts().status;
  if (status >= 200) {
    head_is_whole(head, !bytes.empty());
    return false;
  }
  if (status == 101 || ++informational_ > most_informational) {
    fail(Ending::bad_framing, "the answer is malformed: an informational answer that was not asked for", 502);
    return false;
  }
  scanner_.reset();
  return !bytes.empty();
}

void Transfer::head_is_whole(std::string_view head, bool more_came) {
  parser_.begin(story_.received, to_head_);
  const Parsed parsed = parser_.feed(head);
  if (parsed.state != ParseState::need_more && parsed.state != ParseState::done) {
    return fail(Ending::bad_framing, "the answer is malformed: its head is not HTTP", 502);
  }
  story_.answered = true;
  phase_ = Phase::body;
  delivered_.status = story_.received.status;
  delivered_.reason = story_.received.reason;
  delivered_.headers = story_.received.headers;
  remove_hop_by_hop(delivered_.headers);
  client_->rewrite(delivered_);
  if (parsed.state == ParseState::done) answer_is_whole(more_came);
}

void Transfer::take_body(std::string_view bytes) {
  if (bytes.empty() || phase_ != Phase::body) return;
  const Parsed parsed = parser_.feed(bytes);
  forward_body();
  const std::string_view rest = bytes.substr(parsed.used);
  if (parsed.state == ParseState::done) return answer_is_whole(!rest.empty());
  if (parsed.state != ParseState::need_more || rest.size() > longest_framing) {
    return fail(Ending::bad_framing, "the answer's chunked framing is malformed", 502);
  }
  in_.assign(rest);
}

/// Looks at the body bytes that came last: kept, passed on, or both.
void Transfer::forward_body() {
  std::string& body = story_.received.body;
  const std::size_t fresh = body.size() - seen_;
  story_.body_bytes += fresh;
  const bool was_live = live_;
  if (keeps_body_ && story_.body_bytes > limits().max_body) {
    go_live();
    keeps_body_ = false;
  }
  if (was_live && fresh > 0) send_live(body.substr(seen_));
  if (!keeps_body_) std::string().swap(body);
  seen_ = body.size();
}

void Transfer::connection_ended(bool cleanly) {
  if (phase_ == Phase::head) {
    const bool silent = story_.first_byte == std::chrono::system_clock::time_point();
    if (silent && retries()) return;
    if (silent) return fail(Ending::unreachable, "the device closed the connection before it answered", 502);
    return fail(Ending::cut, "the answer ended within its head", 502);
  }
  const bool whole = cleanly && parser_.ends_with_connection() && parser_.end_of_stream() == ParseState::done;
  if (whole) return answer_is_whole(true);
  fail(Ending::cut, "the connection ended before the answer did", 502);
}

bool Transfer::retries() {
  // A kept connection may die just as it is used again. Only a read is safe to ask for twice.
  if (!is_read_ || retried_ || !connection_->reused) return false;
  retried_ = true;
  host_.count_retry();
  std::exchange(connection_, nullptr)->close();
  attempt(true);
  return true;
}

// ---- passing it on live

void Transfer::go_live() {
  if (live_) return;
  live_ = true;
  exchange_->on_drained([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->read_on();
  });
  exchange_->start(delivered_);
  send_live(story_.received.body);
}

void Transfer::send_live(std::string bytes) {
  tail_.append(bytes);
  if (tail_.size() <= tail_bytes) return;
  std::string last = tail_.substr(tail_.size() - tail_bytes);
  tail_.resize(tail_.size() - tail_bytes);
  exchange_->write(std::exchange(tail_, std::move(last)));
}

// ---- the end

void Transfer::answer_is_whole(bool more_came) {
  story_.trailers = parser_.trailers();
  const bool reusable = sent_ && !more_came && scanner_.facts().keeps_alive() && !parser_.ends_with_connection();
  if (reusable) host_.keep(std::exchange(connection_, nullptr));
  if (keeps_body_) return finish(Ending::whole, "");
  finish(Ending::too_long, "the answer is longer than the limit");
}

/// `status` is for a client that has no head yet.
void Transfer::fail(Ending ending, std::string detail, int status) {
  if (!story_.answered) {
    delivered_ = Response();
    delivered_.status = status;
    delivered_.reason = reason_phrase(status);
    delivered_.headers.add("Content-Type", "text/plain; charset=utf-8");
    delivered_.body = std::to_string(status) + " " + delivered_.reason + ": " + detail + "\n";
    story_.received = Response();
  }
  finish(ending, std::move(detail));
}

void Transfer::finish(Ending ending, std::string detail) {
  if (phase_ == Phase::committing || phase_ == Phase::over) return;
  phase_ = Phase::committing;
  commit_by_ = Clock::now() + host_.options().commit_time;
  if (connection_) std::exchange(connection_, nullptr)->close();
  answered_ = story_.answered;
  good_ = ending == Ending::whole || ending == Ending::too_long;
  story_.ending = ending;
  story_.detail = std::move(detail);
  story_.ended = std::chrono::system_clock::now();
  std::string().swap(in_);
  if (!live_ && story_.answered) held_body_ = story_.received.body;
  charge(held_body_.size() + story_.received.body.size() + story_.sent.body.size());
  const auto token = std::make_shared<CommitToken>(host_.releases(), weak_from_this());
  // delivered_ holds a body only when it is an error text of our own, which is part of what the client gets.
  client_->ended(std::move(story_), delivered_, [token] { token->fire(); });
}

void Transfer::release() {
  if (phase_ != Phase::committing) return;
  const auto self = shared_from_this();  // the host holds the other reference
  phase_ = Phase::over;
  charge(0);
  deliver();
  host_.remove(*this);
}

void Transfer::charge(std::size_t bytes) {
  host_.count_buffered(charge_.held(), bytes);
  charge_.set(bytes);
}

}  // namespace tapedeck::http
