#include "tools/exchange/text_export.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/scope_name.h"
#include "base/digest.h"
#include "cassettes/finish/material.h"
#include "tools/exchange/base64.h"
#include "tools/exchange/escaped_line.h"
#include "tools/exchange/marked_text.h"
#include "tools/exchange/stored_key.h"
#include "tools/exchange/text_lines.h"
#include "tools/marks.h"
#include "tools/pretty_json.h"

namespace tapedeck::tools {

namespace {

enum class TextForm { review, all };

using Json = nlohmann::ordered_json;
using scrubbers::Part;
using scrubbers::Redaction;

/// Beyond this share of a body's bytes, escapes are harder to read than base64.
constexpr std::size_t one_escape_in = 20;

/// Strings may hold any bytes: JSON has them as escaped lines.
std::string one_line(const Json& json) { return json.dump(); }

void write_indented(std::ostream& out, std::string_view lines) {
  out << text_lines::body_indent;
  for (const char c : lines) {
    out << c;
    if (c == '\n') out << text_lines::body_indent;
  }
  out << '\n';
}

void write_base64(std::ostream& out, std::string_view bytes) {
  const std::string encoded = to_base64(bytes);
  for (std::size_t i = 0; i < encoded.size(); i += text_lines::base64_width) {
    out << text_lines::body_indent << encoded.substr(i, text_lines::base64_width) << '\n';
  }
}

void write_lines(std::ostream& out, std::string_view text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t line_end = std::min(text.find('\n', begin), text.size());
    out << text_lines::text_indent << escape_line(text.substr(begin, line_end - begin)) << '\n';
    begin = line_end + 1;
  }
}

bool is_mostly_escapes(std::string_view text, std::size_t escapes) {
  const auto is_usual = [](char c) { return c == '\n' || c == '\r' || c == '\t'; };
  const auto usual = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_usual));
  return escapes > usual + text.size() / one_escape_in;
}

void write_body(std::ostream& out, std::string_view mark, const std::string& text) {
  using namespace text_lines;
  if (text.empty()) return;
  out << mark << body;
  const bool ends_line = text.ends_with('\n');
  const std::string_view inner = std::string_view(text).substr(0, text.size() - (ends_line ? 1 : 0));
  if (const auto json = escapes_in(inner) == 0 ? lossless_pretty(inner) : std::nullopt) {
    out << (ends_line ? as_json_line : as_json) << '\n';
    write_indented(out, *json);
  } else if (is_mostly_escapes(text, escapes_in(text))) {
    out << as_base64 << '\n';
    write_base64(out, text);
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

/// The texts of an interaction's parts, with marks.
struct MarkedTexts {
  std::array<std::string, 6> of;
  std::array<bool, 6> is_plain{};  ///< marks would lose something: the text is as it is stored

  MarkedTexts(const scrubbers::InteractionRecord& record, TextForm form) {
    const std::string stored[] = {record.request.target,  record.request.headers.to_text(),  record.request.body,
                                  record.response.reason, record.response.headers.to_text(), record.response.body};
    for (std::size_t i = 0; i < of.size(); ++i) {
      const std::vector<Redaction> rows = rows_of(record.redactions, static_cast<Part>(i));
      of[i] = form == TextForm::review ? marked_for_review(stored[i], rows) : with_marks(stored[i], rows);
      if (form == TextForm::review || rows.empty()) continue;
      const auto back = without_marks(of[i], static_cast<Part>(i), rows);
      const auto* same = std::get_if<Unmarked>(&back);
      is_plain[i] = !same || same->text != stored[i] || same->rows != rows;
      if (is_plain[i]) of[i] = stored[i];
    }
  }
  [[nodiscard]] const std::string& operator[](Part part) const { return of[static_cast<std::size_t>(part)]; }
};

void write_messages(std::ostream& out, const scrubbers::InteractionRecord& record, const MarkedTexts& texts) {
  out << text_lines::request << escape_word(record.request.method) << ' ' << escape_word(texts[Part::request_target])
      << " HTTP/1." << record.request.minor_version << '\n';
  write_headers(out, text_lines::request, texts[Part::request_headers]);
  write_body(out, text_lines::request, texts[Part::request_body]);
  out << text_lines::answer << record.response.status << ' ' << escape_line(texts[Part::response_reason]) << '\n';
  write_headers(out, text_lines::answer, texts[Part::response_headers]);
  write_body(out, text_lines::answer, texts[Part::response_body]);
}

/// What a reviewer wants to know of an interaction beside request and answer.
void write_notes(std::ostream& out, const cassettes::FullInteraction& full, bool many_takes) {
  const scrubbers::InteractionRecord& record = full.record;
  std::string in;
  const auto add = [&](const std::string& what) { in += (in.empty() ? "" : ", ") + what; };
  if (!record.scope.empty()) add("scope " + escape_line(api::shown_scope(record.scope)));
  if (many_takes) add("take " + std::to_string(full.line.take));
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

/// Circumstances, and what request and answer do not show: one JSON object, for import_text().
Json about(const cassettes::FullInteraction& full, const std::vector<cassettes::TakeRow>& takes) {
  const scrubbers::InteractionRecord& record = full.record;
  Json out = {{"id", full.line.id}, {"take", full.line.take}, {"ord", full.line.ord}};
  if (!record.scope.empty()) out["scope"] = escape_line(record.scope);
  if (record.session != 0) out["session"] = record.session;
  if (record.account != 0) out["account"] = record.account;
  out["effect"] = static_cast<int>(record.effect);
  out["completeness"] = static_cast<int>(record.completeness);
  if (!record.reason.empty()) out["reason"] = escape_line(record.reason);
  if (record.ended_by_client) out["ended_by_client"] = true;
  if (!record.withheld_digest.empty()) out["withheld_digest"] = escape_line(record.withheld_digest);
  if (record.withheld_bytes != 0) out["withheld_bytes"] = record.withheld_bytes;
  out["started_us"] = record.started_us;
  if (record.first_byte_us != 0) out["first_byte_us"] = record.first_byte_us;
  out["ended_us"] = record.ended_us;
  if (key_of(record, take_of(takes, full.line.take)).text != record.key.text) out["keeps_key"] = true;
  for (const api::StreamEvent& event : record.events) out["events"].push_back({event.at_us, event.end});
  return out;
}

/// What a mark does not say of a redaction.
Json row_json(const Redaction& row, bool says_place) {
  Json out = {{"part", static_cast<int>(row.part)}, {"class", scrubbers::to_string(row.secret_class)}};
  out["whose"] = static_cast<int>(row.whose);
  if (row.owner != 0) out["owner"] = row.owner;
  out["ordinal"] = row.ordinal;
  if (!row.encoding.empty()) out["encoding"] = escape_line(row.encoding);
  if (!row.shape.empty()) out["shape"] = escape_line(row.shape);
  if (!row.rule.empty()) out["rule"] = escape_line(row.rule);
  if (says_place) {
    out["at"] = row.offset;
    out["length"] = row.length;
  }
  return out;
}

Json take_json(const cassettes::TakeRow& take) {
  return {{"number", take.number},
          {"id", base::to_hex(take.id)},
          {"started_us", take.started_us},
          {"ended_us", take.ended_us},
          {"tool_version", escape_line(take.tool_version)},
          {"key_policy", take.key_policy},
          {"scrub_policy", escape_line(take.scrub_policy)},
          {"base_path", escape_line(take.base_path)},
          {"note", escape_line(take.note)},
          {"model", escape_line(take.model)},
          {"firmware", escape_line(take.firmware)},
          {"finished", take.finished},
          {"verified", take.verified}};
}

void write_circumstances(std::ostream& out, cassettes::Material& material) {
  using namespace text_lines;
  for (const cassettes::TakeRow& row : material.takes()) out << take << one_line(take_json(row)) << '\n';
  for (const cassettes::MaterialPart& row : material.parts()) {
    const Json line = {
        {"name", escape_line(row.scope)}, {"take", row.take}, {"run", row.run}, {"complete", row.complete}};
    out << scope << one_line(line) << '\n';
  }
  for (const cassettes::MaterialSession& row : material.sessions()) {
    const Json line = {{"take", row.take},       {"scope", escape_line(row.scope)}, {"number", row.number},
                       {"account", row.account}, {"first_us", row.span.first_us},   {"last_us", row.span.last_us},
                       {"lane", row.span.lane}};
    out << session << one_line(line) << '\n';
  }
  for (const cassettes::Mark& row : material.marks()) {
    out << mark << one_line({{"take", row.take}, {"at_us", row.at_us}, {"name", escape_line(row.name)}}) << '\n';
  }
  for (const std::string& fingerprint : material.allowed()) out << allowed << fingerprint << '\n';
}

void write_heading(std::ostream& out, const cassettes::FullInteraction& full) {
  out << '\n' << text_lines::interaction << escape_line(full.record.key.text) << '\n';
}

}  // namespace

void export_review(const cassettes::CassetteReader& cassette, const ExportRange& range, std::ostream& out) {
  out << text_lines::review_head << '\n';
  const bool many_takes = cassette.info().takes.size() > 1;
  each_in_order(cassette, range, [&](const cassettes::FullInteraction& full) {
    write_heading(out, full);
    write_notes(out, full, many_takes);
    write_messages(out, full.record, {full.record, TextForm::review});
  });
}

void export_all(const std::string& path, const ExportRange& range, std::ostream& out) {
  const cassettes::CassetteReader cassette(path);
  const auto material = cassettes::open_material(path);
  const std::vector<cassettes::TakeRow> takes = material->takes();
  out << text_lines::all_head << '\n';
  write_circumstances(out, *material);
  std::uint64_t count = 0;
  each_in_order(cassette, range, [&](const cassettes::FullInteraction& full) {
    ++count;
    write_heading(out, full);
    out << text_lines::about << one_line(about(full, takes)) << '\n';
    const MarkedTexts texts(full.record, TextForm::all);
    write_messages(out, full.record, texts);
    for (const Redaction& row : full.record.redactions) {
      const bool says_place = texts.is_plain[static_cast<std::size_t>(row.part)];
      out << text_lines::redacted << one_line(row_json(row, says_place)) << '\n';
    }
  });
  out << '\n' << text_lines::end << count << " interactions\n";
}

}  // namespace tapedeck::tools
