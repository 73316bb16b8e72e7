#include "http/server/response_writer.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "http/message/hop_by_hop.h"

namespace tapedeck::http {
namespace {

/// Returns true for the headers of which a browser accepts only one, with the page's origin.
bool is_page_permission(std::string_view name) {
  return equal_no_case(name, "Access-Control-Allow-Origin") || equal_no_case(name, "Access-Control-Allow-Credentials");
}

/// Returns true if caches distinguish responses by the page's origin.
bool varies_by_origin(const Headers& headers) {
  for (std::string_view value : headers.all("Vary")) {
    while (!value.empty()) {
      const std::string_view name = base::trim(base::take_until(value, ','));
      if (name == "*" || equal_no_case(name, "Origin")) return true;
    }
  }
  return false;
}

constexpr std::size_t cheap_to_copy = 1024;  // bodies up to this size are copied after the head

std::optional<std::uint64_t> content_length(const Headers& headers) {
  return base::whole_number<std::uint64_t>(headers.first("Content-Length").value_or(""));
}

void add_length(std::string& text, std::uint64_t length) {
  text.append("Content-Length: ").append(std::to_string(length)).append("\r\n");
}

}  // namespace

void ResponseWriter::begin(const Request& request, bool keep_alive) {
  page_.clear();
  to_head_ = request.method == "HEAD";
  minor_version_ = request.minor_version;
  keep_alive_ = keep_alive;
  framing_ = Framing::none;
  left_ = 0;
}

std::string ResponseWriter::head_text(const Response& response, std::size_t room_behind) const {
  constexpr std::size_t usual_head = 384;
  std::string text;
  text.reserve(usual_head + room_behind);
  text.append("HTTP/1.1 ").append(std::to_string(std::clamp(response.status, 100, 999))).append(" ");
  std::copy_if(response.reason.begin(), response.reason.end(), std::back_inserter(text), is_field_byte);
  text.append("\r\n");
  for (const Header& line : response.headers) {
    if (is_servers_own(line.name) || !is_safe(line) || (!page_.empty() && is_page_permission(line.name))) continue;
    text.append(line.name).append(": ").append(line.value).append("\r\n");
  }
  if (!page_.empty()) add_page_lines(text, response.headers);
  return text;
}

void ResponseWriter::add_page_lines(std::string& text, const Headers& headers) const {
  text.append("Access-Control-Allow-Origin: ").append(page_).append("\r\nAccess-Control-Allow-Credentials: true\r\n");
  if (!varies_by_origin(headers)) text.append("Vary: Origin\r\n");
  text.append(
      "Access-Control-Expose-Headers: X-Tapedeck-Outcome, X-Tapedeck-Match, X-Tapedeck-Miss, X-Tapedeck-Overlay, "
      "X-Tapedeck-Recorded-At\r\n");
}

/// Returns the head of a prepared reply for an allowed page, without the empty line.
std::string ResponseWriter::prepared_head(const PreparedReply& reply) const {
  const Response head = as_response({reply.head, {}, {}});
  std::string text = head_text(head, 0);
  if (const auto length = content_length(head.headers)) add_length(text, *length);
  return text;
}

void ResponseWriter::end_head(std::string& text) const {
  if (!keep_alive_) text.append("Connection: close\r\n");
  if (keep_alive_ && minor_version_ == 0) text.append("Connection: keep-alive\r\n");
  text.append("\r\n");
}

bool ResponseWriter::has_body(const Response& response) const { return !to_head_ && may_have_body(response.status); }

/// Returns the head of a response whose whole body is available.
std::string ResponseWriter::whole_head(const Response& head, std::size_t body_bytes, std::size_t room_behind) {
  if (equal_no_case(head.headers.first("Connection").value_or(""), "close")) keep_alive_ = false;
  std::string text = head_text(head, room_behind);
  const std::optional<std::uint64_t> given = content_length(head.headers);
  if (to_head_ || head.status == 304) {
    if (given || (to_head_ && may_have_body(head.status))) add_length(text, given.value_or(body_bytes));
  } else if (may_have_body(head.status)) {
    add_length(text, body_bytes);
  }
  end_head(text);
  return text;
}

void ResponseWriter::respond(OutQueue& out, Response&& response) {
  const bool in_one = has_body(response) && response.body.size() <= cheap_to_copy;
  std::string text = whole_head(response, response.body.size(), in_one ? response.body.size() : 0);
  if (in_one) text.append(response.body);
  out.add_owned(std::move(text));
  if (has_body(response) && !in_one) out.add_owned(std::move(response.body));
}

void ResponseWriter::respond(OutQueue& out, const Response& head, const SharedBytes& body) {
  const bool in_one = has_body(head) && body.bytes.size() <= cheap_to_copy;
  std::string text = whole_head(head, body.bytes.size(), in_one ? body.bytes.size() : 0);
  if (in_one) text.append(body.bytes);
  out.add_owned(std::move(text));
  if (has_body(head) && !in_one) out.add_shared(body.bytes, body.owner);
}

void ResponseWriter::respond(OutQueue& out, const PreparedReply& reply) {
  if (!page_.empty()) out.add_owned(prepared_head(reply));
  out.add_shared(page_.empty() ? reply.head : std::string_view(), reply.owner);
  if (!keep_alive_) {
    out.add_literal("Connection: close\r\n\r\n");
  } else {
    out.add_literal(minor_version_ == 0 ? "Connection: keep-alive\r\n\r\n" : "\r\n");
  }
  if (to_head_) return;
  for (const std::string_view piece : reply.pieces) out.add_more(piece);
}

void ResponseWriter::start(OutQueue& out, const Response& head) {
  if (equal_no_case(head.headers.first("Connection").value_or(""), "close")) keep_alive_ = false;
  std::string text = head_text(head, 0);
  if (head.status == switching_protocols) {
    framing_ = Framing::connection;
    keep_alive_ = false;
    return out.add_owned(text.append("Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"));
  }
  const std::optional<std::uint64_t> given = content_length(head.headers);
  const bool with_body = may_have_body(head.status);
  if (given && head.status >= 200 && head.status != 204) add_length(text, *given);
  if (!with_body || to_head_) {
    framing_ = Framing::none;
    if (with_body && !given && minor_version_ == 1) text.append("Transfer-Encoding: chunked\r\n");
  } else if (given) {
    framing_ = Framing::length;
    left_ = *given;
  } else if (minor_version_ == 1) {
    framing_ = Framing::chunked;
    text.append("Transfer-Encoding: chunked\r\n");
  } else {
    framing_ = Framing::connection;
    keep_alive_ = false;
  }
  end_head(text);
  out.add_owned(std::move(text));
}

void ResponseWriter::write(OutQueue& out, std::string&& bytes) {
  bytes.resize(begin_piece(out, bytes.size()));
  if (bytes.empty()) return;
  out.add_owned(std::move(bytes));
  if (framing_ == Framing::chunked) out.add_literal("\r\n");
}

void ResponseWriter::write(OutQueue& out, SharedBytes bytes) {
  const std::size_t count = begin_piece(out, bytes.bytes.size());
  if (count == 0) return;
  out.add_shared(bytes.bytes.substr(0, count), std::move(bytes.owner));
  if (framing_ == Framing::chunked) out.add_literal("\r\n");
}

/// Returns how many bytes of a piece of the body may be sent.
std::size_t ResponseWriter::begin_piece(OutQueue& out, std::size_t bytes) {
  if (bytes == 0 || framing_ == Framing::none) return 0;
  if (framing_ == Framing::length) {
    bytes = std::min<std::uint64_t>(bytes, left_);
    left_ -= bytes;
  }
  if (framing_ == Framing::chunked) {
    char size[20];
    const auto end = std::to_chars(std::begin(size), std::end(size), bytes, 16).ptr;
    out.add_owned(std::string(size, end) + "\r\n");
  }
  return bytes;
}

void ResponseWriter::finish(OutQueue& out) {
  if (framing_ == Framing::chunked) out.add_literal("0\r\n\r\n");
  if (is_cut()) keep_alive_ = false;
}

}  // namespace tapedeck::http
