#include "http/device/upload.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "http/message/hop_by_hop.h"

namespace tapedeck::http {
namespace {

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

Upload::Upload(Request request, std::string_view body, std::shared_ptr<Exchange> exchange, const BaseUrl& device)
    : exchange_(std::move(exchange)), body_(body), is_streamed_(exchange_->body_is_open()) {
  Headers& headers = request.headers;
  const std::string given(headers.first("Content-Length").value_or(""));
  remove_hop_by_hop(headers);
  headers.erase("Expect");  // the listener has already sent 100 Continue
  headers.erase("Content-Length");
  headers.set("Host", device.authority());
  in_chunks_ = is_streamed_ && given.empty();
  if (in_chunks_) {
    headers.add("Transfer-Encoding", "chunked");
  } else if (is_streamed_) {
    headers.add("Content-Length", given);
  } else if (!given.empty() || !body_.empty() || needs_length(request.method)) {
    headers.add("Content-Length", std::to_string(body_.size()));
  }
  const std::string lines = headers.to_text();
  head_.reserve(request.method.size() + request.target.size() + lines.size() + 16);
  head_.append(request.method).append(" ").append(request.target).append(" HTTP/1.1\r\n");
  head_.append(lines).append("\r\n");
}

void Upload::begin(std::shared_ptr<DeviceConnection> connection, std::function<void()> client_went) {
  connection_ = std::move(connection);
  client_went_ = std::move(client_went);
  is_sent_ = false;
  untaken_ = 0;
  if (!in_chunks_) return send({head_, body_});
  piece_ = as_chunk(body_, false);
  send({head_, piece_});
}

void Upload::send(std::vector<std::string_view> pieces) {
  progress_ = Clock::now();
  connection_->send(std::move(pieces), [self = shared_from_this(), used = connection_](bool fine) {
    if (self->connection_ == used) self->on_sent(fine);
  });
}

void Upload::on_sent(bool fine) {
  progress_ = Clock::now();
  // If sending fails, the device may have responded already. Reading from the connection will show it.
  if (!fine) return;
  is_sent_ = !is_streamed_ || has_last_;
  if (is_sent_) return;
  awaits_client_ = true;
  exchange_->read_body(
      [self = shared_from_this()](std::string bytes, bool last) { self->take(std::move(bytes), last); });
}

void Upload::take(std::string bytes, bool last) {
  awaits_client_ = false;
  progress_ = Clock::now();
  if (!connection_) return;
  if (exchange_->gone()) return client_went_();
  has_last_ = last;
  piece_ = in_chunks_ ? as_chunk(bytes, last) : std::move(bytes);
  if (piece_.empty()) return on_sent(true);
  send({piece_});
}

bool Upload::is_taken(Clock::time_point now) {
  const std::size_t untaken = connection_ ? connection_->untaken() : 0;
  if (untaken < untaken_ || awaits_client_) progress_ = now;
  if (connection_) progress_ = std::max(progress_, connection_->last_sent());
  untaken_ = untaken;
  return is_sent_ && untaken == 0;
}

}  // namespace tapedeck::http
