// Feeds targets, queries, forms, and multipart bodies: every reported place lies in the text and contains the decoded
// bytes.

#include <stdexcept>
#include <string>

#include "http/message/message.h"
#include "http/message/multipart.h"
#include "http/message/url.h"
#include "http/message/urlencoded.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace tapedeck;
using fuzz::must;

bool lies_in(const http::Span& span, std::string_view text) {
  return span.offset <= text.size() && span.length <= text.size() - span.offset;
}

void check_pairs(std::string_view text) {
  std::size_t before = 0;
  std::size_t at = 0;
  for (const http::Pair& pair : http::parse_urlencoded(text)) {
    const auto raw = http::next_pair(text, at);
    must(raw && lies_in(raw->name, text) && lies_in(raw->value, text), "pieces lie in the text");
    must(raw->name.offset >= before, "pieces come in order");
    before = raw->name.offset + raw->name.length;
    must(pair.name == http::percent_decode(text.substr(raw->name.offset, raw->name.length), true),
         "a name is its place decoded");
    must(pair.value == http::percent_decode(text.substr(raw->value.offset, raw->value.length), true),
         "a value is its place decoded");
    must(http::percent_decode(http::percent_encode(pair.value), false) == pair.value, "encoding is undone by decoding");
  }
}

void check_multipart(std::string_view text) {
  const std::string_view boundary = fuzz::take_line(text);
  http::Headers headers;
  headers.add("Content-Type", "multipart/form-data; boundary=" + std::string(boundary));
  const auto told = http::multipart_boundary(headers);
  if (!told) return;
  const auto fields = http::parse_multipart(text, *told);
  if (!fields) return;
  for (const http::MultipartField& field : *fields) must(lies_in(field.content, text), "fields lie in the body");
}

template <typename Value>
void check_parse(std::string_view text) {
  try {
    (void)Value::parse(text);
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const http::TargetParts parts = http::split_target(text);
  must(parts.path.size() + parts.has_query + parts.query.size() == text.size(), "a target is its path and its query");
  check_pairs(parts.query);
  check_pairs(text);
  check_multipart(text);
  check_parse<http::BaseUrl>(text);
  check_parse<http::Endpoint>(text);
  return 0;
}
