#include "http/device/transfer.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "http/message/hop_by_hop.h"
#include "http/message/websocket.h"

namespace tapedeck::http {
namespace {

using SystemClock = std::chrono::system_clock;

constexpr std::size_t longest_framing = 64 * 1024;  // limit for a chunk header or the trailers
constexpr int most_informational = 16;
/// Devices may send more headers than clients. The number is limited because each stored header takes much memory, even
/// if it is empty.
constexpr HeadLimits response_head{64 * 1024, 1'000, 0, 0};

bool needs_length(const std::string& method) { return method == "POST" || method == "PUT" || method == "PATCH"; }

std::string as_chunk(std::string_view bytes, bool last) {
  char size[20];
  std::string chunk;
  if (!bytes.empty()) {
    chunk.assign(size, std::to_chars(std::begin(size), std::end(size), bytes.size(), 16).ptr);
    chunk.append("\r\n").append(bytes).append("\r\n");
  }
  return last ? chunk.append("0\r\n\r\n") : chunk;
}

}  // namespace

Transfer::Transfer(TransferHost& host, std::shared_ptr<Exchange> exchange, Request head, std::string_view body,
                   bool is_read, std::shared_ptr<RelayClient> client)
    : host_(host),
      exchange_(std::move(exchange)),
      client_(std::move(client)),
      to_head_(head.method == "HEAD"),
      upload_(upload_of(head, exchange_->body_is_open())),
      may_repeat_(is_read && upload_ < Upload::streamed),
      head_sent_(outgoing_head(std::move(head), body.size(), upload_, host.options().device)),
      body_sent_(body) {}

// ---- Sending the request

Transfer::Upload Transfer::upload_of(const Request& head, bool body_is_open) {
  if (!body_is_open) return Upload::whole;
  if (asks_for_websocket(head)) return Upload::takeover;
  return head.headers.contains("Content-Length") ? Upload::streamed : Upload::streamed_in_chunks;
}

std::string Transfer::outgoing_head(Request request, std::size_t body_bytes, Upload upload, const BaseUrl& device) {
  Headers& headers = request.headers;
  const std::string given(headers.first("Content-Length").value_or(""));
  remove_hop_by_hop(headers);
  headers.erase("Expect");  // the listener has already sent 100 Continue
  headers.erase("Content-Length");
  headers.set("Host", device.authority());
  if (upload == Upload::takeover) {
    headers.erase("Sec-WebSocket-Extensions");  // messages are stored as they are
    headers.add("Connection", "Upgrade");
    headers.add("Upgrade", "websocket");
  } else if (upload == Upload::streamed_in_chunks) {
    headers.add("Transfer-Encoding", "chunked");
  } else if (upload == Upload::streamed) {
    headers.add("Content-Length", given);
  } else if (!given.empty() || body_bytes > 0 || needs_length(request.method)) {
    headers.add("Content-Length", std::to_string(body_bytes));
  }
  return request.method + " " + request.target + " HTTP/1.1\r\n" + headers.to_text() + "\r\n";
}

void Transfer::begin() {
  result_.started = SystemClock::now();
  if (host_.is_closing()) return stop();
  attempt(false);
}

void Transfer::attempt(bool fresh) {
  connection_ = fresh ? nullptr : host_.kept_connection();
  if (connection_) return send_request();
  state_ = Connecting{Clock::now()};
  connection_ = host_.new_connection();
  connection_->open(host_.options().device,
                    [self = shared_from_this(), tried = connection_](const std::optional<std::string>& failure) {
                      if (self->connection_ != tried || !self->is<Connecting>()) return;
                      if (failure) return self->fail(Ending::unreachable, *failure, 502);
                      self->send_request();
                    });
}

void Transfer::send_request() {
  state_ = Sending{};
  progress_ = upload_ < Upload::streamed ? Progress::last_piece : Progress::piece;
  untaken_ = 0;
  if (upload_ == Upload::streamed_in_chunks) piece_ = as_chunk(body_sent_, false);
  send({head_sent_, piece_.empty() ? body_sent_ : piece_});
  read_on();
}

void Transfer::send(std::vector<std::string_view> pieces) {
  moved_ = Clock::now();
  connection_->send(std::move(pieces), [self = shared_from_this(), used = connection_](bool fine) {
    if (self->connection_ == used) self->on_sent(fine);
  });
}

void Transfer::on_sent(bool fine) {
  moved_ = Clock::now();
  // If sending fails, the device may have responded already. Reading from the connection will show it.
  if (!fine) return;
  if (progress_ == Progress::last_piece) {
    progress_ = Progress::all_is_sent;
    return;
  }
  progress_ = Progress::awaits_client;
  exchange_->read_body(
      [self = shared_from_this()](std::string bytes, bool last) { self->send_more(std::move(bytes), last); });
}

void Transfer::send_more(std::string bytes, bool last) {
  if (!connection_) return;
  moved_ = Clock::now();
  if (exchange_->gone()) {
    return fail(Ending::cut, "the client disconnected before its request was complete", 400);
  }
  progress_ = last ? Progress::last_piece : Progress::piece;
  piece_ = upload_ == Upload::streamed_in_chunks ? as_chunk(bytes, last) : std::move(bytes);
  if (piece_.empty()) return on_sent(true);
  send({piece_});
}

/// Returns true if the device has acknowledged the whole request, if the system reports it. Notes its progress; waiting
/// for the client counts as progress.
bool Transfer::device_has_request(Clock::time_point now) {
  const std::size_t untaken = connection_->untaken();
  if (untaken < untaken_ || progress_ == Progress::awaits_client) moved_ = now;
  moved_ = std::max(moved_, connection_->last_sent());
  untaken_ = untaken;
  return progress_ == Progress::all_is_sent && untaken == 0;
}

bool Transfer::retries() {
  // The device may close an idle connection at the moment when it is used again. Only a read may be sent twice.
  if (!may_repeat_ || !connection_->reused) return false;
  may_repeat_ = false;
  std::exchange(connection_, nullptr)->close();
  attempt(true);
  return true;
}

// ---- Receiving the response

bool Transfer::wants_more() const { return is_receiving() && client_accepts_more(); }

void Transfer::read_on() {
  if (!is_receiving() || client_ended_it()) return;
  if (reading_ != Reading::no || !client_accepts_more() || !host_.may_read(*this)) return;
  reading_ = Reading::waits;
  moved_ = Clock::now();
  const auto received = [self = shared_from_this(), used = connection_](std::string_view bytes,
                                                                        DeviceConnection::Ended ended) {
    if (self->connection_ == used) self->on_received(bytes, ended);
  };
  connection_->read(received);
}

void Transfer::on_received(std::string_view bytes, DeviceConnection::Ended ended) {
  moved_ = Clock::now();
  if (ended != DeviceConnection::Ended::no) {
    reading_ = Reading::no;
    return connection_ended(ended == DeviceConnection::Ended::cleanly);
  }
  if (is<Sending>()) {
    state_ = Head{moved_};
    result_.first_byte = SystemClock::now();
  }
  // The bytes that are passed on may be drained immediately, and a read before the end of the response is known would
  // stay on the kept connection and receive the next response.
  reading_ = Reading::uses;
  take_bytes(bytes);
  update_charge();
  reading_ = Reading::no;
  read_on();
}

void Transfer::take_bytes(std::string_view bytes) {
  std::string all = std::exchange(in_, std::string());
  if (!all.empty()) bytes = all.append(bytes);
  while (is<Head>() && take_head(bytes)) continue;
  if (in_body()) return take_body(bytes);
  if (is<Head>()) in_.assign(bytes);
}

/// Takes a complete head off the front of `bytes`. Returns true if another one may follow.
bool Transfer::take_head(std::string_view& bytes) {
  const HeadScanner::State state = scanner_.feed(bytes, response_head);
  if (state == HeadScanner::State::need_more) return false;
  if (state == HeadScanner::State::refused) {
    fail(Ending::bad_framing, "malformed response: " + std::string(scanner_.refusal().why), 502);
    return false;
  }
  scanner_.read(bytes, head_);
  bytes.remove_prefix(scanner_.end());
  const int status = scanner_.facts().status;
  if (status == switching_protocols && upload_ == Upload::takeover) {
    take_over(std::string(bytes));
    return false;
  }
  if (status >= 200) {
    head_is_whole(!bytes.empty());
    return false;
  }
  if (status == 101 || ++informational_ > most_informational) {
    fail(Ending::bad_framing, "malformed response: unexpected informational response", 502);
    return false;
  }
  scanner_.reset();
  if (!bytes.empty()) return true;
  state_ = Sending{};
  result_.first_byte = {};
  return false;
}

void Transfer::take_over(std::string first) {
  const auto self = shared_from_this();  // remove() drops the other reference
  state_ = Over{};
  charge_.set(0);
  remove_hop_by_hop(head_.headers);
  client_->rewrite(head_);
  client_->taken_over(std::move(head_), std::exchange(connection_, nullptr), std::move(first));
  host_.remove(*this);
}

void Transfer::head_is_whole(bool more_came) {
  reader_.begin_response(scanner_.facts(), arrived_, to_head_);
  result_.has_head = true;
  state_ = Held{std::get<Head>(state_).first_byte};
  begin_reply();
  if (reader_.feed({}).state == ParseState::done) return response_is_complete(more_came);
  if (is_stream_) go_live();
}

void Transfer::take_body(std::string_view bytes) {
  if (bytes.empty()) return;
  const Parsed parsed = reader_.feed(bytes);
  if (!arrived_.empty()) keep_and_pass_on(std::exchange(arrived_, std::string()));
  const std::string_view rest = bytes.substr(parsed.used);
  if (parsed.state == ParseState::done) return response_is_complete(!rest.empty());
  if (parsed.state != ParseState::need_more || rest.size() > longest_framing) {
    return fail(Ending::bad_framing, "malformed response: invalid chunked encoding", 502);
  }
  in_.assign(rest);
}

void Transfer::connection_ended(bool cleanly) {
  if (in_body()) {
    if (cleanly && reader_.ends_with_connection()) return response_is_complete(true);
    return fail(Ending::cut, "the connection was closed before the response was complete", 502);
  }
  if (is<Head>() || informational_ > 0) return fail(Ending::cut, "the response ended within its head", 502);
  if (!retries()) fail(Ending::unreachable, "the device closed the connection without a response", 502);
}

// ---- Timeouts and ending

void Transfer::sweep(Clock::time_point now) {
  if (const auto* connecting = std::get_if<Connecting>(&state_)) {
    if (now - connecting->since < limits().connect_time) return;
    fail(Ending::timed_out, "timeout while connecting to the device", 504);
  } else if (const auto* storing = std::get_if<Storing>(&state_)) {
    if (now < storing->until) return;
    client_->commit_overdue();
    release();
  } else if (is_receiving()) {
    check_device(now);
  }
}

/// Checks deadlines, each of which measures time without progress.
void Transfer::check_device(Clock::time_point now) {
  const auto* const held = std::get_if<Held>(&state_);
  if (held && now - held->first_byte >= host_.options().hold_time) go_live();
  read_on();
  if (!is_receiving()) return;
  if (reading_ == Reading::no) moved_ = now;  // reading is paused, so the device causes no delay
  const bool is_silent = is<Sending>();
  const auto is_late = [&](Clock::duration patience) { return now - moved_ >= patience; };
  if ((is_silent || progress_ != Progress::all_is_sent) && !device_has_request(now)) {
    if (!is_late(limits().stall_time)) return;
    return fail(Ending::timed_out, "timeout while sending the request to the device", 504);
  }
  if (is_silent) {
    if (!is_late(limits().first_byte_time)) return;
    return fail(Ending::timed_out, "timeout while waiting for a response from the device", 504);
  }
  const auto patience = is_stream_ ? limits().answer_time : std::min(limits().stall_time, limits().answer_time);
  if (is_late(patience)) fail(Ending::timed_out, "timeout while receiving the response from the device", 504);
}

void Transfer::response_is_complete(bool more_came) {
  const bool reusable = progress_ == Progress::all_is_sent && !more_came && scanner_.facts().keeps_alive() &&
                        !reader_.ends_with_connection();
  if (reusable) host_.keep(std::exchange(connection_, nullptr));
  if (keeps_body()) return finish(Ending::whole, "");
  finish(Ending::too_long, "the response is larger than the limit");
}

void Transfer::stop() { fail(Ending::stopped, "the recording was stopped before the response was complete", 503); }

/// `status` is for a client that has not received a head.
void Transfer::fail(Ending ending, std::string detail, int status) {
  if (is_over()) return;
  if (!result_.has_head) head_ = refusal_response(status, detail);
  finish(ending, std::move(detail));
}

void Transfer::finish(Ending ending, std::string detail) {
  if (is_over()) return;
  if (connection_) std::exchange(connection_, nullptr)->close();
  std::string().swap(in_);
  result_.ending = ending;
  result_.detail = std::move(detail);
  result_.ended = SystemClock::now();
  result_.body_bytes = body_bytes();
  if (!is<Live>()) result_.pieces.clear();
  store();
}

void Transfer::drop() {
  state_ = Over{};
  charge_.set(0);
  if (connection_) std::exchange(connection_, nullptr)->close();
}

}  // namespace tapedeck::http
