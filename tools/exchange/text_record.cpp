#include "tools/exchange/text_record.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "scrubbers/rules/scrub_rule.h"
#include "tools/exchange/base64.h"
#include "tools/exchange/escaped_line.h"
#include "tools/exchange/stored_key.h"
#include "tools/exchange/text_lines.h"
#include "tools/marks.h"
#include "tools/pretty_json.h"

namespace tapedeck::tools {

namespace {

using scrubbers::Part;
using scrubbers::Redaction;

constexpr std::size_t parts = 6;

class RecordReader {
 public:
  RecordReader(TextSource& source, const std::vector<cassettes::TakeRow>& takes) : source_(source), takes_(takes) {}

  TextRecord read() {
    out_.record.key.text = source_.unescaped(text_lines::interaction.size());
    advance("the line `about`");
    read_about();
    read_request();
    read_answer();
    read_rows();
    take_marks_out();
    give_key();
    while (source_.has_line() && source_.line().empty()) source_.next();
    return std::move(out_);
  }

 private:
  void advance(const char* expected) {
    source_.next();
    if (!source_.has_line()) source_.fail(std::string("the text ends where ") + expected + " should be");
  }
  void read_about();
  void read_request();
  void read_answer();
  void read_messages(std::string_view mark, Part headers, Part body);
  [[nodiscard]] std::string read_body(std::string_view kind);
  [[nodiscard]] std::string read_indented(std::string_view indent, bool escaped);
  void read_rows();
  [[nodiscard]] Redaction row_of(const TextObject& object);
  void take_marks_out();
  [[nodiscard]] std::string without_marks_of(Part part);
  void give_key();
  [[nodiscard]] std::string& text(Part part) { return texts_[static_cast<std::size_t>(part)]; }

  TextSource& source_;
  const std::vector<cassettes::TakeRow>& takes_;
  TextRecord out_;
  bool keeps_key_ = false;
  std::array<std::string, parts> texts_;            ///< as they are written
  std::array<std::vector<Redaction>, parts> rows_;  ///< as they are written
  std::array<bool, parts> is_plain_{};              ///< the rows say where they are: nothing is a mark
};

cassettes::Digest digest_of(const std::string& bytes) {
  cassettes::Digest digest{};
  std::copy_n(bytes.begin(), digest.size(), digest.begin());
  return digest;
}

void RecordReader::read_about() {
  if (!source_.line().starts_with(text_lines::about)) source_.fail("missing line `about`");
  const TextObject about = source_.json_after(text_lines::about);
  scrubbers::InteractionRecord& record = out_.record;
  out_.item.take = about.small("take");
  out_.item.ord = about.small("ord");
  out_.item.digest = digest_of(about.hex("id", cassettes::digest_size));
  out_.item.edited = true;
  record.scope = about.text_or_empty("scope");
  record.session = about.small_or_zero("session");
  record.account = about.small_or_zero("account");
  record.effect = static_cast<api::Effect>(about.up_to("effect", 2));
  record.completeness = static_cast<api::Completeness>(about.up_to("completeness", 2));
  record.reason = about.text_or_empty("reason");
  record.ended_by_client = about.has("ended_by_client") && about.flag("ended_by_client");
  record.withheld_digest = about.text_or_empty("withheld_digest");
  if (about.has("withheld_bytes")) record.withheld_bytes = about.size("withheld_bytes");
  record.started_us = about.time("started_us");
  record.ended_us = about.time("ended_us");
  if (about.has("first_byte_us")) record.first_byte_us = about.time("first_byte_us");
  keeps_key_ = about.has("keeps_key") && about.flag("keeps_key");
  for (const auto& [at, end] : about.pairs("events")) record.events.push_back({at, end});
  advance("the request");
}

void RecordReader::read_request() {
  const std::string& line = source_.line();
  if (!line.starts_with(text_lines::request)) source_.fail("missing request");
  constexpr std::string_view version = " HTTP/1.";
  const std::size_t begin = text_lines::request.size();
  const std::size_t blank = line.find(' ', begin);
  const std::size_t end = line.rfind(version);
  const bool is_whole = blank != std::string::npos && end != std::string::npos && end > blank &&
                        end + version.size() + 1 == line.size() && line.back() >= '0' && line.back() <= '9';
  if (!is_whole) source_.fail("no request line: METHOD TARGET HTTP/1.1", begin);
  const auto method = unescape_line(std::string_view(line).substr(begin, blank - begin));
  const auto target = unescape_line(std::string_view(line).substr(blank + 1, end - blank - 1));
  if (!method || !target) source_.fail("invalid escape", begin);
  out_.record.request.method = *method;
  out_.record.request.minor_version = line.back() - '0';
  text(Part::request_target) = *target;
  advance("the answer");
  read_messages(text_lines::request, Part::request_headers, Part::request_body);
}

void RecordReader::read_answer() {
  const std::string& line = source_.line();
  if (!source_.has_line() || !line.starts_with(text_lines::answer)) source_.fail("missing response");
  const std::size_t begin = text_lines::answer.size();
  int status = 0;
  const auto [end, error] = std::from_chars(line.data() + begin, line.data() + line.size(), status);
  const bool is_whole =
      error == std::errc() && status >= 0 && status <= 999 && end < line.data() + line.size() && *end == ' ';
  if (!is_whole) source_.fail("must be a status line: STATUS REASON", begin);
  out_.record.response.status = status;
  text(Part::response_reason) = source_.unescaped(static_cast<std::size_t>(end - line.data()) + 1);
  source_.next();
  read_messages(text_lines::answer, Part::response_headers, Part::response_body);
}

/// Header lines, and then the body.
void RecordReader::read_messages(std::string_view mark, Part headers, Part body) {
  while (source_.has_line() && source_.line().starts_with(mark)) {
    const std::string_view rest = std::string_view(source_.line()).substr(mark.size());
    if (rest.starts_with(text_lines::body) && rest.find(':') == std::string_view::npos) {
      const std::string kind(rest.substr(text_lines::body.size()));
      source_.next();
      text(body) = read_body(kind);
      return;
    }
    if (rest.find(':') == std::string_view::npos) source_.fail("must be a header line or a body", mark.size());
    text(headers) += source_.unescaped(mark.size()) + "\r\n";
    source_.next();
  }
}

std::string RecordReader::read_indented(std::string_view indent, bool escaped) {
  std::string out;
  bool first = true;
  while (source_.has_line() && source_.line().starts_with(indent)) {
    if (!first) out += '\n';
    first = false;
    out += escaped ? source_.unescaped(indent.size()) : source_.line().substr(indent.size());
    source_.next();
  }
  if (first) source_.fail("a body must have at least one line");
  return out;
}

std::string RecordReader::read_body(std::string_view kind) {
  using namespace text_lines;
  if (kind == as_text) return read_indented(text_indent, true);
  if (kind == as_base64) {
    auto bytes = from_base64(read_indented(body_indent, false));
    if (!bytes) source_.fail("the body above is not base64");
    return std::move(*bytes);
  }
  if (kind != as_json && kind != as_json_line) {
    source_.fail("unknown kind of body: " + std::string(kind) + " (json, text, base64) is in the line above");
  }
  auto json = compact_json(read_indented(body_indent, false));
  if (!json) source_.fail("the body above is not JSON");
  if (kind == as_json_line) *json += '\n';
  return std::move(*json);
}

Redaction RecordReader::row_of(const TextObject& object) {
  Redaction row;
  row.part = static_cast<Part>(object.up_to("part", parts - 1));
  const std::string name = object.text("class");
  const auto secret_class = scrubbers::secret_class_from(name);
  if (!secret_class || scrubbers::to_string(*secret_class) != name) source_.fail("unknown redaction class: " + name);
  row.secret_class = *secret_class;
  row.whose = static_cast<scrubbers::Whose>(object.up_to("whose", 2));
  row.owner = object.small_or_zero("owner");
  row.ordinal = object.small("ordinal");
  row.encoding = object.text_or_empty("encoding");
  row.shape = object.text_or_empty("shape");
  row.rule = object.text_or_empty("rule");
  if (object.has("at")) {
    row.offset = object.small("at");
    row.length = object.small("length");
  }
  return row;
}

void RecordReader::read_rows() {
  while (source_.has_line() && source_.line().starts_with(text_lines::redacted)) {
    const TextObject object = source_.json_after(text_lines::redacted);
    const Redaction row = row_of(object);
    const auto part = static_cast<std::size_t>(row.part);
    if (!rows_[part].empty() && is_plain_[part] != object.has("at")) source_.fail("only some redactions have a place");
    is_plain_[part] = object.has("at");
    const bool overlaps =
        is_plain_[part] && !rows_[part].empty() && rows_[part].back().offset + rows_[part].back().length > row.offset;
    if (overlaps || row.offset + row.length > text(row.part).size()) {
      source_.fail("the redaction is outside its text or overlaps another one");
    }
    rows_[part].push_back(row);
    source_.next();
  }
  if (source_.has_line() && !source_.line().empty()) source_.fail("unexpected line");
}

std::string RecordReader::without_marks_of(Part part) {
  const auto at = static_cast<std::size_t>(part);
  std::vector<Redaction>& rows = out_.record.redactions;
  if (is_plain_[at]) {
    rows.insert(rows.end(), rows_[at].begin(), rows_[at].end());
    return std::move(texts_[at]);
  }
  auto unmarked = without_marks(texts_[at], part, rows_[at]);
  if (const auto* error = std::get_if<MarkError>(&unmarked)) {
    source_.fail("in the " + std::string(to_string(part)) + " of the interaction above: " + error->reason);
  }
  auto& found = std::get<Unmarked>(unmarked);
  rows.insert(rows.end(), found.rows.begin(), found.rows.end());
  return std::move(found.text);
}

void RecordReader::take_marks_out() {
  http::Request& request = out_.record.request;
  http::Response& response = out_.record.response;
  request.target = without_marks_of(Part::request_target);
  request.headers = http::Headers::from_text(without_marks_of(Part::request_headers));
  request.body = without_marks_of(Part::request_body);
  response.reason = without_marks_of(Part::response_reason);
  response.headers = http::Headers::from_text(without_marks_of(Part::response_headers));
  response.body = without_marks_of(Part::response_body);
  const auto ends_outside = [&](const api::StreamEvent& event) { return event.end > response.body.size(); };
  if (std::any_of(out_.record.events.begin(), out_.record.events.end(), ends_outside)) {
    source_.fail("an event of the interaction above ends after its body");
  }
}

/// A heading that is not its request's would make an interaction that nothing finds.
void RecordReader::give_key() {
  const auto take = std::find_if(takes_.begin(), takes_.end(),
                                 [&](const cassettes::TakeRow& row) { return row.number == out_.item.take; });
  if (take == takes_.end()) source_.fail("the interaction above refers to a missing take");
  const api::RequestKey key = key_of(out_.record, *take);
  if (key.text != out_.record.key.text && !keeps_key_) {
    source_.fail("the interaction above is under the wrong heading: " + escape_line(key.text));
  }
  // A hole is all that a key writes between angle brackets.
  const bool has_holes = out_.record.key.text.find('<') != std::string::npos;
  out_.record.key.has_holes = key.text == out_.record.key.text ? key.has_holes : has_holes;
}

}  // namespace

TextRecord read_record(TextSource& source, const std::vector<cassettes::TakeRow>& takes) {
  return RecordReader(source, takes).read();
}

}  // namespace tapedeck::tools
