#include "tools/exchange/marked_text.h"

namespace tapedeck::tools {

namespace {

/// Empty for a value that has no name of its own.
std::string_view own_name(const scrubbers::Redaction& row) {
  if (row.whose != scrubbers::Whose::own || row.ordinal != 0) return "";
  switch (row.secret_class) {
    case scrubbers::SecretClass::session_id:
      return "session.id";
    case scrubbers::SecretClass::csrf_token:
      return "session.token";
    case scrubbers::SecretClass::device_id:
      return "session.device_id";
    default:
      return "";
  }
}

std::string mark_name(const scrubbers::Redaction& row) {
  if (const std::string_view name = own_name(row); !name.empty()) return std::string(name);
  std::string name(to_string(row.secret_class));
  name += "." + std::to_string(row.ordinal);
  if (row.whose == scrubbers::Whose::own) name += ".own";
  if (row.whose == scrubbers::Whose::another) name += ".session-" + std::to_string(row.owner);
  return name;
}

}  // namespace

std::string marked_for_review(std::string_view text, const std::vector<scrubbers::Redaction>& rows) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  std::size_t done = 0;
  for (const scrubbers::Redaction& row : rows) {
    if (row.secret_class == scrubbers::SecretClass::private_data) continue;
    out.append(text.substr(done, row.offset - done));
    out.append("{{").append(mark_name(row)).append("}}");
    done = row.offset + row.length;
  }
  return out.append(text.substr(done));
}

}  // namespace tapedeck::tools
