// Compares chunked framing with a second parser of RFC 9112 §7.1 that shares no code with the first. If one accepts a
// body as complete, the other must read the same bytes.

#include <optional>
#include <string>

#include "http/message/message.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/message_reader.h"

namespace {

using namespace tapedeck;

struct Plain {
  std::string body;
  std::size_t used = 0;
};

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Returns nothing if the framing is broken or continues after the text. Skips extensions and trailers.
std::optional<Plain> second_reading(std::string_view text) {
  Plain plain;
  for (;;) {
    std::uint64_t length = 0;
    std::size_t digits = 0;
    for (; plain.used < text.size() && digit(text[plain.used]) >= 0; ++plain.used, ++digits) {
      length = length * 16 + static_cast<std::uint64_t>(digit(text[plain.used]));
      if (length > text.size()) return std::nullopt;
    }
    const std::size_t line_end = text.find("\r\n", plain.used);
    if (digits == 0 || line_end == std::string_view::npos) return std::nullopt;
    plain.used = line_end + 2;
    if (length == 0) break;
    if (text.size() - plain.used < length + 2) return std::nullopt;
    plain.body.append(text.substr(plain.used, length));
    plain.used += length;
    if (text.substr(plain.used, 2) != "\r\n") return std::nullopt;
    plain.used += 2;
  }
  for (;;) {
    const std::size_t line_end = text.find("\r\n", plain.used);
    if (line_end == std::string_view::npos) return std::nullopt;
    const bool is_last = line_end == plain.used;
    plain.used = line_end + 2;
    if (is_last) return plain;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fuzz::must;
  using fuzz::ReadMessage;
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string message = head + std::string(fuzz::text_of(data, size));
  const auto kind = http::HeadScanner::Kind::request;
  const ReadMessage whole = fuzz::read_message(kind, message, message.size(), 1u << 20);
  const ReadMessage cut = fuzz::read_message(kind, message, size % 5 + 1, 1u << 20);
  must(whole.end == cut.end, "the verdict does not depend on the cuts");
  must(whole.end == ReadMessage::End::bad || whole.request.body == cut.request.body,
       "the body does not depend on the cuts");
  if (whole.end != ReadMessage::End::done) return 0;
  const auto plain = second_reading(fuzz::text_of(data, size));
  must(plain.has_value(), "what is whole is well framed");
  must(plain->body == whole.request.body, "both readings have the same body");
  must(plain->used + head.size() == whole.used, "both readings end at the same byte");
  return 0;
}
