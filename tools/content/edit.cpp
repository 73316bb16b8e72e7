#include "tools/content/edit.h"

#include <algorithm>

#include "api/json_patch.h"
#include "api/json_splice.h"
#include "base/text.h"
#include "http/message/head_scanner.h"
#include "tools/content/plain_text.h"
#include "tools/content/pretty_json.h"

namespace tapedeck::tools {
namespace {

using scrubbers::InteractionRecord;
using scrubbers::Part;
using scrubbers::Redaction;

/// Replaces the text and the redactions of a part by those of a marked text. `put` stores the text.
template <class Put>
void put_marked(InteractionRecord& record, Part part, std::string_view marked, const Put& put) {
  Unmarked unmarked = without_marks(marked, part, rows_of(record.redactions, part));
  put(std::move(unmarked.text));
  std::erase_if(record.redactions, [part](const Redaction& row) { return row.part == part; });
  record.redactions.insert(record.redactions.end(), unmarked.rows.begin(), unmarked.rows.end());
  std::stable_sort(record.redactions.begin(), record.redactions.end(),
                   [](const Redaction& a, const Redaction& b) { return a.part < b.part; });
}

std::string marked_headers(const InteractionRecord& record) {
  return with_marks(record.response.headers.to_text(), rows_of(record.redactions, Part::response_headers));
}

std::string marked_reason(const InteractionRecord& record) {
  return with_marks(record.response.reason, rows_of(record.redactions, Part::response_reason));
}

bool is_about_framing(std::string_view name) {
  constexpr std::string_view names[] = {"Content-Length", "Transfer-Encoding", "Content-Encoding", "Connection",
                                        "Trailer",        "Keep-Alive",        "Upgrade"};
  return std::any_of(std::begin(names), std::end(names),
                     [&](std::string_view one) { return http::equal_no_case(one, name); });
}

/// Throws EditError for what cannot be a header line of a stored response.
void check_header(std::string_view name, std::string_view value) {
  if (!http::is_token(name)) throw EditError("a header line must be `Name: value`");
  if (is_about_framing(name)) throw EditError(std::string(name) + " is not stored: the server sets it on replay");
  if (!std::all_of(value.begin(), value.end(), http::is_field_byte))
    throw EditError("the value of " + std::string(name) + " contains a control character");
}

/// Removes and returns the first line, without its line end.
std::string_view take_line(std::string_view& text) {
  std::string_view line = base::take_until(text, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(take_line(text));
  return lines;
}

/// Returns a header line as it is stored.
std::string stored_line(std::string_view name, std::string_view value) {
  return std::string(name) + ": " + std::string(base::trim(value)) + "\r\n";
}

void put_headers(InteractionRecord& record, std::string_view marked) {
  put_marked(record, Part::response_headers, marked, [&](const std::string& text) {
    http::Headers headers = http::Headers::from_text(text);
    if (headers.to_text() != text) throw EditError("the header lines are malformed");
    record.response.headers = std::move(headers);
  });
}

void put_status_line(InteractionRecord& record, std::string_view line) {
  const int status = base::whole_number<int>(base::take_until(line, ' ')).value_or(0);
  if (!http::is_final(status)) throw EditError("must be 101 or a status from 200 to 599, as in `200 OK`");
  put_marked(record, Part::response_reason, line, [&](std::string text) { record.response.reason = std::move(text); });
  record.response.status = status;
}

/// Returns the body as the editor shows it.
std::string laid_out(const InteractionRecord& record) {
  const std::string marked = marked_body(record);
  return lossless_pretty(marked).value_or(marked);
}

void put_edited_body(InteractionRecord& record, std::string_view edited) {
  if (edited == laid_out(record)) return;
  if (!lossless_pretty(marked_body(record))) return set_body(record, edited);
  const auto compact = compact_json(edited);
  if (!compact) throw EditError("the body is no longer JSON; `tapedeck edit --body FILE` accepts any body");
  set_body(record, *compact);
}

/// Removes the header lines and the empty line after them from an edited text, and returns them as they are stored.
/// Checks only lines that were changed.
std::string edited_headers(std::string_view& text, const std::string& old_text) {
  const std::vector<std::string_view> old_lines = lines_of(old_text);
  std::string headers;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    if (std::find(old_lines.begin(), old_lines.end(), line) != old_lines.end()) {
      headers.append(line).append("\r\n");
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      throw EditError("`" + std::string(line) +
                      "`: a header line must be `Name: value`, and an empty line must follow the headers");
    }
    const std::string_view name = line.substr(0, colon), value = line.substr(colon + 1);
    check_header(name, base::trim(value));
    headers += stored_line(name, value);
  }
  return headers;
}

}  // namespace

void set_body(InteractionRecord& record, std::string_view marked) {
  put_marked(record, Part::response_body, marked, [&](std::string text) {
    if (text == record.response.body) return;
    record.response.body = std::move(text);
    record.events.clear();
    record.completeness = api::Completeness::complete;
    record.reason.clear();
    record.withheld_digest.clear();
    record.withheld_bytes = 0;
    record.ended_by_client = false;
  });
}

void set_value(InteractionRecord& record, std::string_view pointer, std::string_view marked_json) {
  const auto parsed = api::JsonPointer::parse(pointer);
  if (!parsed) {
    throw EditError("`" + std::string(pointer) + "` is not a JSON pointer such as /data/volumes/0/status");
  }
  if (!api::is_json(marked_json)) throw EditError("the value is not JSON; put a string in quotes: '\"text\"'");
  std::string body = marked_body(record);
  if (!api::is_json(body)) throw EditError("the body is not JSON");
  const std::string value(base::trim(marked_json, " \t\r\n"));
  if (const auto place = api::value_at(body, parsed->tokens)) {
    body.replace(place->offset, place->length, value);
  } else if (!api::add_at(body, parsed->tokens, value)) {
    throw EditError("no such place: " + std::string(pointer) + " in the body");
  }
  set_body(record, body);
}

void set_status(InteractionRecord& record, int status) {
  if (status == record.response.status) return;
  put_status_line(record, std::to_string(status) + " " + std::string(http::reason_phrase(status)));
}

void set_header(InteractionRecord& record, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) throw EditError("a header line must be `Name: value`");
  const std::string_view name = line.substr(0, colon), value = base::trim(line.substr(colon + 1));
  check_header(name, value);
  std::string text;
  bool is_put = value.empty();
  const std::string marked = marked_headers(record);
  for (const std::string_view old : lines_of(marked)) {
    if (!http::equal_no_case(old.substr(0, old.find(':')), name)) {
      text.append(old).append("\r\n");
    } else if (!is_put) {
      text += stored_line(name, value);
      is_put = true;
    }
  }
  if (!is_put) text += stored_line(name, value);
  put_headers(record, text);
}

std::string editor_text(const InteractionRecord& record) {
  const std::string body = laid_out(record);
  if (!is_plain_text(body)) throw EditError("the body is binary; `tapedeck edit --body FILE` accepts any body");
  std::string text = std::to_string(record.response.status) + " " + marked_reason(record) + "\n";
  const std::string headers = marked_headers(record);
  for (const std::string_view line : lines_of(headers)) text.append(line).append("\n");
  return text.append("\n").append(body).append("\n");
}

void take_editor_text(InteractionRecord& record, std::string_view text) {
  if (text == editor_text(record)) return;
  if (text.empty()) throw EditError("the text is empty");
  InteractionRecord changed = record;
  put_status_line(changed, take_line(text));
  put_headers(changed, edited_headers(text, marked_headers(record)));
  // Editors end the last line with a line feed.
  if (text.ends_with('\n')) text.remove_suffix(1);
  put_edited_body(changed, text);
  record = std::move(changed);
}

}  // namespace tapedeck::tools
