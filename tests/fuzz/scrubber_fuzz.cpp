// Feeds arbitrary interactions to the scrubber after a login whose secrets it knows. It does not throw, its redactions
// fit the text, and the known secrets are in nothing that would be stored. Input: the target, a line of Content-Type, a
// line that begins with the Content-Encoding, and then the response body, whose beginning is also a cookie and the name
// of a header. "S3" becomes the session ID.

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <utility>

#include "scrubbers/scrubber.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace tapedeck;
using fuzz::must;
using scrubbers::InteractionRecord;
using scrubbers::Part;

const std::string session_id = "fX7-made.up_session-id-0qLw3vT9z";
const std::string password = "Made-up&Pass/word=4711";

api::Interaction login() {
  api::Interaction login;
  login.request.target = "/webapi/entry.cgi?api=SVC.API.Auth&version=6&method=login&account=fuzz&passwd=" +
                         std::string("Made-up%26Pass%2Fword%3D4711");
  login.response.headers.add("Content-Type", "application/json");
  login.response.body = R"({"data":{"sid":")" + session_id + R"("},"success":true})";
  return login;
}

std::string with_secret(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool marked = text.substr(at, 2) == "S3";
    result += marked ? session_id : std::string(text.substr(at, 1));
    at += marked ? 2 : 1;
  }
  return result;
}

/// Removes bytes that http/message/head_scanner.h refuses in header lines.
std::string header_value(std::string value) {
  std::replace_if(
      value.begin(), value.end(), [](char c) { return c >= 0 && c < ' ' && c != '\t'; }, ' ');
  return value;
}
std::string header_name(std::string name) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  std::erase_if(name, [&](unsigned char c) {
    return std::isalnum(c) == 0 && marks.find(static_cast<char>(c)) == std::string::npos;
  });
  return "X-" + name;
}

std::string text_of(const InteractionRecord& record, Part part) {
  switch (part) {
    case Part::request_target:
      return record.request.target;
    case Part::request_headers:
      return record.request.headers.to_text();
    case Part::request_body:
      return record.request.body;
    case Part::response_reason:
      return record.response.reason;
    case Part::response_headers:
      return record.response.headers.to_text();
    case Part::response_body:
      return record.response.body;
  }
  return {};
}

void check(const InteractionRecord& record) {
  for (const scrubbers::Redaction& row : record.redactions) {
    const std::string text = text_of(record, row.part);
    must(row.offset <= text.size() && row.length <= text.size() - row.offset, "a redaction lies in its part");
    const std::string placeholder = "<" + std::string(to_string(row.secret_class)) + ">";
    must(text.substr(row.offset, row.length) == placeholder, "a placeholder stands at a redaction");
  }
  for (const Part part : {Part::request_target, Part::request_headers, Part::request_body, Part::response_reason,
                          Part::response_headers, Part::response_body}) {
    const std::string text = text_of(record, part);
    must(text.find(session_id) == std::string::npos, "no session id is stored");
    must(text.find(password) == std::string::npos, "no password is stored");
  }
  must(record.key.text.find(session_id) == std::string::npos, "no session id is in a key");
}

std::unique_ptr<scrubbers::Scrubber> after_login() {
  scrubbers::ScrubberOptions options;
  options.max_decoded = 1u << 20;
  auto scrubber = std::make_unique<scrubbers::Scrubber>(std::move(options));
  check(scrubber->scrub(login()).record());
  return scrubber;
}

/// Returns a scrubber that knows only the login's secrets. Creating one takes most of the time, so it is reused until
/// an input has taught it something.
scrubbers::Scrubber& fresh_scrubber() {
  static std::unique_ptr<scrubbers::Scrubber> scrubber;
  static std::uint64_t knows = 0;
  if (scrubber == nullptr || scrubber->generation() != knows) {
    scrubber = after_login();
    knows = scrubber->generation();
  }
  return *scrubber;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::text_of(data, size);
  scrubbers::Scrubber& scrubber = fresh_scrubber();
  api::Interaction interaction;
  interaction.request.target = "/" + with_secret(fuzz::take_line(text));
  const std::string type = header_value(with_secret(fuzz::take_line(text)));
  const std::string_view encoding = fuzz::take_line(text);
  interaction.response.headers.add("Content-Type", type);
  interaction.request.headers.add("Content-Type", type);
  interaction.request.headers.add("Referer", "http://nas.example" + header_value(interaction.request.target));
  if (!encoding.empty()) interaction.response.headers.add("Content-Encoding", encoding);
  interaction.response.headers.add("Set-Cookie", header_value(with_secret(text.substr(0, 200))));
  interaction.response.headers.add(header_name(with_secret(text.substr(0, 100))), "1");
  interaction.response.body = with_secret(text);
  interaction.request.body = interaction.response.body;
  const auto scrubbed = scrubber.scrub(interaction);
  check(scrubbed.record());
  check(scrubber.rescrub(scrubbed.record()).interaction.record());
  return 0;
}
