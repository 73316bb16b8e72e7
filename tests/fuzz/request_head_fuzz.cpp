// Feeds a client's request: the result does not depend on how its bytes are split, and an accepted request is exactly
// one message.

#include "http/message/message.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/message_reader.h"

namespace {

using namespace tapedeck;
using fuzz::must;
using fuzz::ReadMessage;

void check_accepted(const ReadMessage& read) {
  const http::Request& request = read.request;
  const http::Headers& headers = request.headers;
  must(request.target == "*" || request.target.starts_with('/'), "the target is in origin form, or an asterisk");
  must(request.target.find_first_of(std::string_view("\0\r\n \t", 5)) == std::string::npos, "the target is one word");
  must(request.minor_version == 0 || request.minor_version == 1, "the version is 1.0 or 1.1");
  must(headers.all("Host").size() <= 1, "at most one Host");
  must(request.minor_version == 0 || headers.contains("Host"), "HTTP/1.1 has a Host");
  must(headers.all("Content-Length").size() <= 1, "at most one Content-Length");
  must(headers.all("Transfer-Encoding").size() <= 1, "at most one Transfer-Encoding");
  must(!headers.contains("Content-Length") || !headers.contains("Transfer-Encoding"), "one framing");
  must(headers.contains("Transfer-Encoding") == read.facts.chunked, "the only Transfer-Encoding is chunked");
  for (const http::Header& line : headers) {
    must(!line.name.empty(), "a header line has a name");
    must(line.value.find_first_of(std::string_view("\0\r\n", 3)) == std::string::npos, "a value is one line");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t body_limit = 4096;
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto kind = http::HeadScanner::Kind::request;
  const ReadMessage whole = fuzz::read_message(kind, bytes, std::max<std::size_t>(size, 1), body_limit);
  const ReadMessage cut = fuzz::read_message(kind, bytes, size % 7 + 1, body_limit);
  must(whole.end == cut.end, "the verdict does not depend on the cuts");
  if (whole.end != ReadMessage::End::done) return 0;
  must(whole.used == cut.used && whole.request.target == cut.request.target && whole.request.body == cut.request.body &&
           whole.request.headers == cut.request.headers,
       "the reading does not depend on the cuts");
  must(whole.request.body.size() <= body_limit, "the limit of the body holds");
  check_accepted(whole);
  return 0;
}
