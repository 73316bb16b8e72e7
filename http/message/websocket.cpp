#include "http/message/websocket.h"

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "base/digest.h"
#include "base/text.h"
#include "base/utf8.h"

namespace tapedeck::http {
namespace {

constexpr std::size_t longest_control = 125;
constexpr std::size_t mask_bytes = 4;

bool lists(const Headers& headers, std::string_view name, std::string_view wanted) {
  for (std::string_view value : headers.all(name)) {
    while (!value.empty()) {
      if (equal_no_case(base::trim(base::take_until(value, ',')), wanted)) return true;
    }
  }
  return false;
}

std::optional<Frame::Kind> kind_of(unsigned opcode) {
  switch (opcode) {
    case 1:
      return Frame::Kind::text;
    case 2:
      return Frame::Kind::binary;
    case 8:
      return Frame::Kind::close;
    case 9:
      return Frame::Kind::ping;
    case 10:
      return Frame::Kind::pong;
    default:
      return std::nullopt;
  }
}

unsigned opcode_of(Frame::Kind kind) {
  switch (kind) {
    case Frame::Kind::text:
      return 1;
    case Frame::Kind::binary:
      return 2;
    case Frame::Kind::close:
      return 8;
    case Frame::Kind::ping:
      return 9;
    case Frame::Kind::pong:
      return 10;
  }
  return 0;
}

/// Returns true for the codes that a frame may contain (RFC 6455 §7.4, and the registry for 1012 to 1014).
bool may_be_sent(unsigned code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

unsigned byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

void mask(std::string& bytes, std::string_view key, std::size_t from) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(byte_at(bytes, i) ^ byte_at(key, (from + i) % mask_bytes));
  }
}

void add_number(std::string& out, std::uint64_t number, unsigned bytes) {
  while (bytes-- > 0) out += static_cast<char>(number >> (8 * bytes) & 0xffU);
}

}  // namespace

bool names_websocket(const Request& request) {
  return request.method == "GET" && lists(request.headers, "Upgrade", "websocket");
}

bool asks_for_websocket(const Request& request) {
  return names_websocket(request) && request.minor_version == 1 && lists(request.headers, "Connection", "Upgrade") &&
         request.headers.first("Sec-WebSocket-Version") == "13" && request.headers.contains("Sec-WebSocket-Key");
}

std::string websocket_key() { return base::base64_form(base::random_bytes(16)); }

std::string websocket_accept(std::string_view key) {
  return base::base64_form(base::sha1(std::string(base::trim(key)) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
}

Closing closing_of(std::string_view payload) {
  if (payload.size() < 2) return {};
  return {static_cast<std::uint16_t>(byte_at(payload, 0) << 8U | byte_at(payload, 1)), std::string(payload.substr(2))};
}

std::string payload_of(const Closing& closing) {
  std::string payload;
  if (closing.code == 0) return payload;
  add_number(payload, closing.code, 2);
  return payload.append(base::utf8_prefix(closing.reason, longest_control - 2));
}

FrameReader::Result FrameReader::feed(std::string_view bytes) {
  Result result;
  while (!is_over_ && (!bytes.empty() || (in_frame_ && left_ == 0))) {
    if (in_frame_) {
      take_payload(bytes, result);
      continue;
    }
    head_ += bytes.front();
    bytes.remove_prefix(1);
    in_frame_ = take_head(result);
  }
  return result;
}

bool FrameReader::take_head(Result& result) {
  if (head_.size() < 2) return false;
  const unsigned first = byte_at(head_, 0), second = byte_at(head_, 1);
  const bool is_masked = (second & 0x80U) != 0;
  const unsigned opcode = first & 0x0fU, short_length = second & 0x7fU;
  const std::size_t length_bytes = short_length == 127 ? 8 : short_length == 126 ? 2 : 0;
  const bool is_control = opcode >= 8;
  const auto kind = opcode == 0 ? in_message_ : kind_of(opcode);
  const bool is_final = (first & 0x80U) != 0;
  const bool breaks_message = opcode == 0 ? !in_message_ : !is_control && in_message_;
  const bool is_wrong = (first & 0x70U) != 0 || !kind || breaks_message ||
                        is_masked != (sender_ == FrameSender::client) ||
                        (is_control && (!is_final || short_length > longest_control));
  if (is_wrong) {
    fail(result, CloseCode::protocol);
    return false;
  }
  const std::size_t mask_at = 2 + length_bytes;
  if (head_.size() < mask_at + (is_masked ? mask_bytes : 0)) return false;
  left_ = length_bytes == 0 ? short_length : 0;
  for (std::size_t i = 2; i < mask_at; ++i) left_ = left_ << 8U | byte_at(head_, i);
  if ((left_ >> 63U) != 0) {
    fail(result, CloseCode::protocol);
    return false;
  }
  mask_ = head_.substr(mask_at);
  masked_ = 0;
  kind_ = *kind;
  is_final_ = is_final;
  if (!is_control) in_message_ = kind_;
  head_.clear();
  return true;
}

void FrameReader::take_payload(std::string_view& bytes, Result& result) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  std::string piece(bytes.substr(0, count));
  bytes.remove_prefix(count);
  left_ -= count;
  if (!mask_.empty()) mask(piece, mask_, masked_);
  masked_ = (masked_ + count) % mask_bytes;
  in_frame_ = left_ > 0;
  const bool is_control = kind_ != Frame::Kind::text && kind_ != Frame::Kind::binary;
  if (is_control) {
    control_ += piece;
    if (!in_frame_) end_control(result);
    return;
  }
  const bool is_last = !in_frame_ && is_final_;
  if (kind_ == Frame::Kind::text && !check_text(piece, is_last)) return fail(result, CloseCode::no_utf8);
  if (is_last) in_message_.reset();
  if (!piece.empty() || is_last) result.frames.push_back({kind_, std::move(piece), is_last});
}

void FrameReader::end_control(Result& result) {
  std::string payload = std::exchange(control_, {});
  if (kind_ == Frame::Kind::close) {
    if (payload.size() == 1) return fail(result, CloseCode::protocol);
    const Closing closing = closing_of(payload);
    if (!payload.empty() && !may_be_sent(closing.code)) return fail(result, CloseCode::protocol);
    if (!base::is_utf8(closing.reason)) return fail(result, CloseCode::no_utf8);
    is_over_ = true;
  }
  result.frames.push_back({kind_, std::move(payload), true});
}

void FrameReader::fail(Result& result, CloseCode code) {
  is_over_ = true;
  result.failure = code;
}

bool FrameReader::check_text(std::string_view piece, bool is_last) {
  constexpr std::size_t longest_character = 4;
  const std::string text = std::exchange(cut_character_, {}) + std::string(piece);
  std::size_t end = text.size();
  // A character that is cut begins in the last three bytes.
  for (std::size_t back = 1; back < longest_character && back <= text.size() && !is_last; ++back) {
    const unsigned byte = byte_at(text, text.size() - back);
    if (byte < 0x80U) break;
    if (byte < 0xc0U) continue;
    const std::size_t length = byte >= 0xf0U ? 4 : byte >= 0xe0U ? 3 : 2;
    if (length > back) end = text.size() - back;
    break;
  }
  cut_character_ = text.substr(end);
  return base::is_utf8(std::string_view(text).substr(0, end));
}

std::string frame_bytes(const Frame& frame, FrameSender sender, bool continues) {
  std::string out;
  out += static_cast<char>((frame.is_last ? 0x80U : 0U) | (continues ? 0U : opcode_of(frame.kind)));
  const std::size_t size = frame.bytes.size();
  const unsigned masked = sender == FrameSender::client ? 0x80U : 0U;
  const unsigned short_length = size < 126 ? static_cast<unsigned>(size) : size <= 0xffffU ? 126 : 127;
  out += static_cast<char>(masked | short_length);
  if (short_length >= 126) add_number(out, size, short_length == 126 ? 2 : 8);
  if (masked == 0) return out + frame.bytes;
  const std::string key = base::random_bytes(mask_bytes);
  std::string payload = frame.bytes;
  mask(payload, key, 0);
  return out + key + payload;
}

}  // namespace tapedeck::http
