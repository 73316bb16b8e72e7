// Feeds a response of a device: the result does not depend on how its bytes are split, and bad framing is never
// complete.

#include "http/message/message.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/message_reader.h"

using namespace tapedeck;
using fuzz::must;
using fuzz::ReadMessage;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto kind = http::HeadScanner::Kind::response;
  const ReadMessage whole = fuzz::read_message(kind, bytes, std::max<std::size_t>(size, 1), 0);
  const ReadMessage cut = fuzz::read_message(kind, bytes, size % 7 + 1, 0);
  must(whole.end == cut.end, "the verdict does not depend on the cuts");
  if (!whole.in_body || whole.end == ReadMessage::End::bad) return 0;
  must(whole.answer.status >= 100 && whole.answer.status <= 599, "the status is one of HTTP's");
  must(whole.answer.body == cut.answer.body && whole.answer.headers == cut.answer.headers,
       "the reading does not depend on the cuts");
  must(!whole.facts.chunked || !whole.facts.content_length, "one framing");
  const auto length = whole.facts.content_length;
  if (length) must(whole.answer.body.size() <= *length, "no more body than Content-Length says");
  const bool has_no_body = whole.answer.status < 200 || whole.answer.status == 204 || whole.answer.status == 304;
  if (whole.end == ReadMessage::End::done && length && !has_no_body) {
    must(whole.answer.body.size() == *length, "a whole answer is as long as its Content-Length");
  }
  return 0;
}
