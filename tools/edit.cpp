#include "tools/edit.h"

#include <algorithm>

#include "api/json_patch.h"
#include "api/json_splice.h"
#include "base/text.h"
#include "http/message/head_scanner.h"
#include "tools/exchange/plain_text.h"
#include "tools/marks.h"
#include "tools/pretty_json.h"

namespace tapedeck::tools {
namespace {

using scrubbers::InteractionRecord;
using scrubbers::Part;
using scrubbers::Redaction;

/// Puts the marked text of a part into it; what is wrong with the marks otherwise.
template <class Put>
std::string put_marked(InteractionRecord& record, Part part, std::string_view marked, const Put& put) {
  const std::vector<Redaction> rows = rows_of(record.redactions, part);
  auto result = without_marks(marked, part, rows);
  if (const auto* error = std::get_if<MarkError>(&result)) {
    return "at byte " + std::to_string(error->offset) + ": " + error->reason;
  }
  Unmarked& unmarked = std::get<Unmarked>(result);
  if (const std::string problem = put(std::move(unmarked.text)); !problem.empty()) return problem;
  std::erase_if(record.redactions, [part](const Redaction& row) { return row.part == part; });
  record.redactions.insert(record.redactions.end(), unmarked.rows.begin(), unmarked.rows.end());
  std::stable_sort(record.redactions.begin(), record.redactions.end(),
                   [](const Redaction& a, const Redaction& b) { return a.part < b.part; });
  return {};
}

std::string marked_body(const InteractionRecord& record) {
  return with_marks(record.response.body, rows_of(record.redactions, Part::response_body));
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

/// Why this cannot be a header line of a stored answer; empty: it can.
std::string fault_of_header(std::string_view name, std::string_view value) {
  if (!http::is_token(name)) return "a header line must be `Name: value`";
  if (is_about_framing(name)) return std::string(name) + " is not stored: the server sets it on replay";
  const bool has_controls = std::any_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
  return has_controls ? "the value of " + std::string(name) + " contains a control character" : "";
}

/// The first line, whatever ends it.
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

/// "Name: value" as it is stored.
std::string stored_line(std::string_view name, std::string_view value) {
  return std::string(name) + ": " + std::string(base::trim(value)) + "\r\n";
}

std::string put_headers(InteractionRecord& record, std::string_view marked) {
  return put_marked(record, Part::response_headers, marked, [&](std::string text) {
    http::Headers headers = http::Headers::from_text(text);
    if (headers.to_text() != text) return std::string("the header lines are malformed");
    record.response.headers = std::move(headers);
    return std::string();
  });
}

std::string put_status_line(InteractionRecord& record, std::string_view line) {
  const int status = base::whole_number<int>(base::take_until(line, ' ')).value_or(0);
  if (!http::is_final(status)) return "line 1: must be a status from 200 to 599, as in `200 OK`";
  const std::string problem = put_marked(record, Part::response_reason, line, [&](std::string text) {
    record.response.reason = std::move(text);
    return std::string();
  });
  if (problem.empty()) record.response.status = status;
  return problem.empty() ? problem : "line 1: " + problem;
}

/// The body as the editor shows it.
std::string laid_out(const InteractionRecord& record) {
  const std::string marked = marked_body(record);
  return lossless_pretty(marked).value_or(marked);
}

std::string put_edited_body(InteractionRecord& record, std::string_view edited) {
  if (edited == laid_out(record)) return {};
  if (!lossless_pretty(marked_body(record))) return set_body(record, edited);
  const auto compact = compact_json(edited);
  if (!compact) return "the body is no longer JSON; `tapedeck set --body` accepts any body";
  return set_body(record, *compact);
}

}  // namespace

std::string set_body(InteractionRecord& record, std::string_view marked) {
  return put_marked(record, Part::response_body, marked, [&](std::string text) {
    if (text == record.response.body) return std::string();
    record.response.body = std::move(text);
    record.events.clear();
    record.completeness = api::Completeness::complete;
    record.reason.clear();
    record.withheld_digest.clear();
    record.withheld_bytes = 0;
    record.ended_by_client = false;
    return std::string();
  });
}

std::string set_value(InteractionRecord& record, std::string_view pointer, std::string_view marked_json) {
  const auto parsed = api::JsonPointer::parse(pointer);
  if (!parsed) return "`" + std::string(pointer) + "` is not a JSON pointer such as /data/volumes/0/status";
  if (!api::is_json(marked_json)) return "the value is not JSON; put a string in quotes: '\"text\"'";
  std::string body = marked_body(record);
  if (!api::is_json(body)) return "the body is not JSON";
  const std::string value(base::trim(marked_json, " \t\r\n"));
  if (const auto place = api::value_at(body, parsed->tokens)) {
    body.replace(place->offset, place->length, value);
  } else if (!api::add_at(body, parsed->tokens, value)) {
    return "no such place: " + std::string(pointer) + " in the body";
  }
  return set_body(record, body);
}

std::string set_status(InteractionRecord& record, int status) {
  if (!http::is_final(status)) return "must be a number from 200 to 599";
  if (status == record.response.status) return {};
  return put_status_line(record, std::to_string(status) + " " + std::string(http::reason_phrase(status)));
}

std::string set_header(InteractionRecord& record, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return "a header line must be `Name: value`";
  const std::string_view name = line.substr(0, colon), value = base::trim(line.substr(colon + 1));
  if (std::string fault = fault_of_header(name, value); !fault.empty()) return fault;
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
  return put_headers(record, text);
}

EditorText editor_text(const InteractionRecord& record) {
  EditorText out;
  const std::string body = laid_out(record);
  if (!is_plain_text(body)) {
    out.problem = "the body is binary; `tapedeck set --body FILE` accepts any body";
    return out;
  }
  out.text = std::to_string(record.response.status) + " " + marked_reason(record) + "\n";
  const std::string headers = marked_headers(record);
  for (const std::string_view line : lines_of(headers)) out.text.append(line).append("\n");
  out.text.append("\n").append(body).append("\n");
  return out;
}

std::string take_editor_text(InteractionRecord& record, std::string_view text) {
  if (text == editor_text(record).text) return {};
  InteractionRecord changed = record;
  const std::string old_text = marked_headers(record);
  const std::vector<std::string_view> old_lines = lines_of(old_text);
  std::size_t number = 0;
  std::string headers;
  bool ended = false;
  while (!text.empty() && !ended) {
    const std::string_view line = take_line(text);
    const std::string at = "line " + std::to_string(++number) + ": ";
    if (number == 1) {
      if (std::string problem = put_status_line(changed, line); !problem.empty()) return problem;
      continue;
    }
    ended = line.empty();
    if (ended) continue;
    if (std::find(old_lines.begin(), old_lines.end(), line) != old_lines.end()) {
      headers.append(line).append("\r\n");
      continue;
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon), value = line.substr(std::min(colon + 1, line.size()));
    if (colon == line.size())
      return at + "a header line must be `Name: value`, and an empty line must follow the headers";
    if (std::string fault = fault_of_header(name, base::trim(value)); !fault.empty()) return at + fault;
    headers += stored_line(name, value);
  }
  if (number == 0) return "the text is empty";
  if (std::string problem = put_headers(changed, headers); !problem.empty()) return problem;
  // What an editor puts behind the last line.
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (std::string problem = put_edited_body(changed, text); !problem.empty()) return problem;
  record = std::move(changed);
  return {};
}

}  // namespace tapedeck::tools
