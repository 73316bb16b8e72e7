#include "scrubbers/header_checks.h"

#include <algorithm>

#include "api/identity_headers.h"
#include "base/digest.h"
#include "scrubbers/search/credential.h"

namespace tapedeck::scrubbers {
namespace {

constexpr char before_check = ';';

/// Returns the number of the take and the check value, "1234.5f3a".
std::string header_check(std::string_view key, std::string_view value) {
  constexpr std::size_t digits = 4;
  const std::string hash = base::to_hex(base::sha256({"header ", key, " ", value}));
  return std::string(key) + "." + hash.substr(0, digits);
}

/// Returns true for values from which 16 bits reveal nothing, because nobody could guess them.
bool is_random(std::string_view value) {
  constexpr std::size_t shortest = 16;
  return value.size() >= shortest && has_random_part(value);
}

}  // namespace

void add_header_checks(InteractionRecord& record, const http::Headers& before, std::uint64_t key) {
  static const api::IdentityHeaders known = api::IdentityHeaders::known();
  std::size_t at = 0;
  auto old = before.begin();
  for (const http::Header& line : record.request.headers) {
    const std::size_t begin = at + line.name.size() + 2, size = line.value.size();
    at = begin + size + 2;
    if (old == before.end()) return;
    const std::string& value = (old++)->value;
    const bool may_be_checked = known.contains(line.name) || (!api::is_never_identity(line.name) && is_random(value));
    if (!may_be_checked || value == line.value) continue;
    const auto row = std::find_if(record.redactions.begin(), record.redactions.end(), [&](const Redaction& one) {
      return one.part == Part::request_headers && one.offset == begin && one.length == size;
    });
    if (row == record.redactions.end() || row->shape.find(before_check) != std::string::npos) continue;
    row->shape = shape_of(value) + before_check + header_check(std::to_string(key), value);
  }
}

CheckedShape CheckedShape::of(std::string_view text) {
  const std::size_t end = std::min(text.find(before_check), text.size());
  return {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
}

bool CheckedShape::confirms(std::string_view value) const {
  return header_check(check.substr(0, check.find('.')), value) == check;
}

}  // namespace tapedeck::scrubbers
