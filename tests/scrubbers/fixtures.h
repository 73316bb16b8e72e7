#pragma once
// Helpers for the scrubber's tests: interactions in one line, and checks of the resulting record.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/interaction.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::scrubbers::test {

inline const std::string sid = "kR7vQ2mZ_xT9pLw4-BnC8dHs1FgYjAe6";
inline const std::string syno_token = "Vd3.Kq9tHb7W";
inline const std::string device_id = "did-Zp4Lk8Tq2Wm6Xn1Rv5";
inline const std::string passphrase =
    "Tr4v/el \"l\\ight\" & f\xC3\xA9"
    "e";

inline api::Interaction get(std::string target, std::string body = R"({"success":true})") {
  api::Interaction interaction;
  interaction.request.method = "GET";
  interaction.request.target = std::move(target);
  interaction.response.headers.add("Content-Type", "application/json; charset=\"UTF-8\"");
  interaction.response.body = std::move(body);
  return interaction;
}

inline api::Interaction post(std::string target, std::string content_type, std::string body,
                             std::string answer = R"({"success":true})") {
  api::Interaction interaction = get(std::move(target), std::move(answer));
  interaction.request.method = "POST";
  interaction.request.headers.add("Content-Type", content_type);
  interaction.request.body = std::move(body);
  return interaction;
}

inline const std::string login_path = "/webapi/entry.cgi?api=SYNO.API.Auth&version=6&method=login";

inline api::Interaction login(std::string_view id, std::string_view account = "alice",
                              std::string_view password = "Corr3ct-Horse-Battery") {
  return get(
      login_path + "&account=" + std::string(account) + "&passwd=" + std::string(password),
      R"({"data":{"account":")" + std::string(account) + R"(","sid":")" + std::string(id) + R"("},"success":true})");
}

/// Encodes a value by the name of an encoding, as cassettes store it.
inline std::string encode(std::string_view value, std::string_view name) {
  return scrubbers::encode(value, parse_encoding(name).value());
}

/// Returns all texts of a record as one, for searching.
inline std::string all_of(const InteractionRecord& record) {
  std::string text = record.request.method + "\n" + record.request.target + "\n" + record.request.headers.to_text() +
                     record.request.body + "\n" + record.response.reason + "\n" + record.response.headers.to_text() +
                     record.response.body + "\n" + record.reason + "\n" + record.withheld_digest + "\n" +
                     record.key.text;
  for (const Redaction& row : record.redactions)
    text += "\n" + to_string(row.encoding) + " " + row.shape + " " + row.rule;
  return text;
}

inline std::string part_of(const InteractionRecord& record, Part part) {
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

/// Returns a redaction as a line: "response body 8+12 SESSION_ID own 0 json-sid".
inline std::string line_of(const Redaction& row) {
  const std::string whose = row.whose == Whose::own    ? "own"
                            : row.whose == Whose::none ? "none"
                                                       : "another(" + std::to_string(row.owner) + ")";
  return std::string(to_string(row.part)) + " " + std::string(to_string(row.secret_class)) + " " + whose + " " +
         std::to_string(row.ordinal) + " '" + to_string(row.encoding) + "' " + row.shape + " " + row.rule;
}

inline std::vector<std::string> lines_of(const InteractionRecord& record) {
  std::vector<std::string> lines;
  for (const Redaction& row : record.redactions) lines.push_back(line_of(row));
  return lines;
}

/// Returns true if every row has its placeholder in its place, in order and without overlaps.
inline bool rows_fit(const InteractionRecord& record) {
  std::pair<Part, std::uint64_t> last{Part::request_target, 0};
  for (const Redaction& row : record.redactions) {
    if (std::pair(row.part, row.offset) < last) return false;
    const std::string text = part_of(record, row.part);
    if (row.offset + row.length > text.size()) return false;
    if (text.substr(row.offset, row.length) != "<" + std::string(to_string(row.secret_class)) + ">") return false;
    last = {row.part, row.offset + row.length};
  }
  return true;
}

/// Returns the part with `values` in place of its rows, in order, each in the row's encoding.
inline std::string restored(const InteractionRecord& record, Part part, const std::vector<std::string>& values) {
  const std::string text = part_of(record, part);
  std::string out;
  std::size_t copied = 0;
  std::size_t next = 0;
  for (const Redaction& row : record.redactions) {
    if (row.part != part) continue;
    out += text.substr(copied, row.offset - copied);
    out += next < values.size() ? scrubbers::encode(values[next], row.encoding) : "?";
    copied = row.offset + row.length;
    ++next;
  }
  return out + text.substr(copied);
}

}  // namespace tapedeck::scrubbers::test
