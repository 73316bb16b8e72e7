#include "tools/verify/request_again.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace tapedeck::tools {

namespace {

using scrubbers::Part;
using scrubbers::Redaction;
using scrubbers::SecretClass;

bool is_of_request(const Redaction& row) {
  return row.part == Part::request_target || row.part == Part::request_headers || row.part == Part::request_body;
}

std::optional<std::string_view> value_for(const Redaction& row, const SessionValues& values) {
  if (row.whose != scrubbers::Whose::own || row.ordinal != 0) return std::nullopt;
  if (row.secret_class == SecretClass::session_id) return values.id;
  if (row.secret_class == SecretClass::csrf_token) return values.csrf_token;
  if (row.secret_class == SecretClass::device_id) return values.device_id;
  return std::nullopt;
}

std::string filled(std::string_view text, Part part, const std::vector<Redaction>& rows, const SessionValues& values) {
  std::string out;
  std::size_t begin = 0;
  for (const Redaction& row : rows) {
    if (row.part != part) continue;
    out += text.substr(begin, row.offset - begin);
    out += scrubbers::encode(value_for(row, values).value_or(""), row.encoding);
    begin = row.offset + row.length;
  }
  return out.append(text.substr(begin));
}

}  // namespace

bool can_be_asked_again(const scrubbers::InteractionRecord& record) {
  return std::all_of(record.redactions.begin(), record.redactions.end(),
                     [](const Redaction& row) { return !is_of_request(row) || value_for(row, {}).has_value(); });
}

http::Request request_again(const scrubbers::InteractionRecord& record, const SessionValues& values) {
  const http::Request& stored = record.request;
  http::Request request = stored;
  request.target = filled(stored.target, Part::request_target, record.redactions, values);
  request.headers =
      http::Headers::from_text(filled(stored.headers.to_text(), Part::request_headers, record.redactions, values));
  request.body = filled(stored.body, Part::request_body, record.redactions, values);
  request.headers.erase("Origin");
  request.headers.erase("Referer");
  return request;
}

}  // namespace tapedeck::tools
