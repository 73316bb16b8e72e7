#include "tools/exchange/text_export.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "api/scope_name.h"
#include "base/digest.h"
#include "tools/content/marks.h"
#include "tools/content/plain_text.h"
#include "tools/content/pretty_json.h"

namespace tapedeck::tools {

namespace {

// The words of the text form (docs/cassettes.md).
constexpr std::string_view review_head = "tapedeck text 1";
constexpr std::string_view interaction_word = "interaction ", body_word = "body ";
constexpr std::string_view request_begin = "  > ", response_begin = "  < ";
/// The formats of a body.
constexpr std::string_view as_json = "json", as_json_line = "json, line end", as_text = "text";
constexpr std::string_view body_indent = "    ", text_indent = "    |";

/// If more than one in this many bytes of a body needs an escape, a hash is easier to read.
constexpr std::size_t one_escape_in = 20;

void write_indented(std::ostream& out, std::string_view lines) {
  out << body_indent;
  for (const char c : lines) {
    out << c;
    if (c == '\n') out << body_indent;
  }
  out << '\n';
}

void write_lines(std::ostream& out, std::string_view text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t line_end = std::min(text.find('\n', begin), text.size());
    out << text_indent << escape_line(text.substr(begin, line_end - begin)) << '\n';
    begin = line_end + 1;
  }
}

bool is_mostly_escapes(std::string_view text, std::size_t escapes) {
  const auto is_usual = [](char c) { return c == '\n' || c == '\r' || c == '\t'; };
  const auto usual = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_usual));
  return escapes > usual + text.size() / one_escape_in;
}

void write_body(std::ostream& out, std::string_view mark, const std::string& text) {
  if (text.empty()) return;
  out << mark << body_word;
  const bool ends_line = text.ends_with('\n');
  const std::string_view inner = std::string_view(text).substr(0, text.size() - (ends_line ? 1 : 0));
  if (const auto pretty = escapes_in(inner) == 0 ? lossless_pretty(inner) : std::nullopt) {
    out << (ends_line ? as_json_line : as_json) << '\n';
    write_indented(out, *pretty);
  } else if (is_mostly_escapes(text, escapes_in(text))) {
    out << "of " << text.size() << " bytes, sha256 " << base::to_hex(base::sha256(text)) << '\n';
  } else {
    out << as_text << '\n';
    write_lines(out, text);
  }
}

void write_headers(std::ostream& out, std::string_view mark, const std::string& text) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find("\r\n");
    out << mark << escape_line(rest.substr(0, end)) << '\n';
    rest.remove_prefix(std::min(end, rest.size() - 2) + 2);
  }
}

void write_messages(std::ostream& out, const scrubbers::InteractionRecord& marked) {
  out << request_begin << escape_word(marked.request.method) << ' ' << escape_word(marked.request.target) << " HTTP/1."
      << marked.request.minor_version << '\n';
  write_headers(out, request_begin, marked.request.headers.to_text());
  write_body(out, request_begin, marked.request.body);
  out << response_begin << marked.response.status << ' ' << escape_line(marked.response.reason) << '\n';
  write_headers(out, response_begin, marked.response.headers.to_text());
  write_body(out, response_begin, marked.response.body);
}

/// Writes facts about an interaction that a reviewer needs in addition to request and response.
void write_notes(std::ostream& out, const cassettes::FullInteraction& full, const cassettes::CassetteInfo& info) {
  const scrubbers::InteractionRecord& record = full.record;
  std::string in;
  const auto add = [&](const std::string& what) { in += (in.empty() ? "" : ", ") + what; };
  if (!record.scope.empty()) add("scope " + escape_line(api::shown_scope(record.scope)));
  if (info.takes.size() > 1) add("take " + std::to_string(full.line.take));
  if (record.session != 0) {
    add("session " + std::to_string(record.session) + ", lane " + std::to_string(full.line.lane));
  }
  if (record.account != 0) add("account " + std::to_string(record.account));
  if (!in.empty()) out << "  in " << in << '\n';
  if (record.effect == api::Effect::write) out << "  changes the device\n";
  if (record.ended_by_client) out << "  ended by the client\n";
  if (record.completeness == api::Completeness::complete) return;
  out << "  " << to_string(record.completeness) << ": " << escape_line(record.reason) << '\n';
}

}  // namespace

void export_review(const cassettes::CassetteReader& cassette, const ExportRange& range, std::ostream& out) {
  out << review_head << '\n';
  each_in_order(cassette, range, [&](const cassettes::FullInteraction& full) {
    out << '\n' << interaction_word << escape_line(full.record.key.text) << '\n';
    write_notes(out, full, cassette.info());
    write_messages(out, marked_for_review(full.record));
  });
}

}  // namespace tapedeck::tools
