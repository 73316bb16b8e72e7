#include "scrubbers/redaction/header_identity.h"

#include <map>
#include <string_view>

#include "base/text.h"

namespace tapedeck::scrubbers {
namespace {

std::string hole_of(const Redaction& row) {
  if (row.whose == Whose::own) return api::header_hole(hole_label(row));
  return api::header_hole(secret_text(row) + "/" + row.shape);
}

/// Returns a value whose first byte is at `begin` of the headers' text, with its redacted places as holes.
std::string with_holes(std::string_view value, std::size_t begin, const std::vector<Redaction>& rows) {
  std::string text;
  std::size_t done = 0;
  for (const Redaction& row : rows) {
    const bool is_inside = row.part == Part::request_headers && row.offset >= begin + done &&
                           row.offset + row.length <= begin + value.size();
    if (!is_inside || row.secret_class == SecretClass::private_data) continue;
    text += api::header_piece(value.substr(done, row.offset - begin - done));
    text += hole_of(row);
    done = row.offset - begin + row.length;
  }
  return text + api::header_piece(value.substr(done));
}

}  // namespace

std::string identity_text(const http::Headers& headers, const api::IdentityHeaders& names,
                          const std::vector<Redaction>& rows) {
  std::map<std::string, std::string> values;
  std::size_t at = 0;
  for (const http::Header& line : headers) {
    const std::size_t begin = at + line.name.size() + 2;
    if (names.contains(line.name)) {
      std::string& value = values[base::fold(line.name)];
      value += (value.empty() ? "" : ", ") + with_holes(line.value, begin, rows);
    }
    at = begin + line.value.size() + 2;
  }
  std::string text;
  for (const auto& [name, value] : values) api::append_header(text, name, value);
  return text;
}

}  // namespace tapedeck::scrubbers
