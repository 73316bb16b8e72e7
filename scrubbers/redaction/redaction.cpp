#include "scrubbers/redaction/redaction.h"

#include <array>

#include "base/text.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::scrubbers {

std::string_view to_string(Part part) {
  static constexpr std::array<std::string_view, 6> names{"request target",  "request headers",  "request body",
                                                         "response reason", "response headers", "response body"};
  const auto index = static_cast<std::size_t>(part);
  return index < names.size() ? names[index] : "unknown part";
}

std::string_view to_string(SecretClass secret_class) {
  static constexpr std::array<std::string_view, 12> names{"SESSION_ID",    "CSRF_TOKEN", "DEVICE_ID", "TASK_ID",
                                                          "ACCOUNT",       "PASSWORD",   "OTP_CODE",  "TOKEN",
                                                          "AUTHORIZATION", "COOKIE",     "SECRET",    "PRIVATE"};
  const auto index = static_cast<std::size_t>(secret_class);
  return index < names.size() ? names[index] : "SECRET";
}

std::optional<SecretClass> secret_class_from(std::string_view word) {
  for (int i = 0; i <= static_cast<int>(last_secret_class); ++i) {
    if (base::fold(to_string(static_cast<SecretClass>(i))) == base::fold(word)) return static_cast<SecretClass>(i);
  }
  return std::nullopt;
}

std::string placeholder(SecretClass secret_class) { return "<" + std::string(to_string(secret_class)) + ">"; }

bool is_session_id(const Redaction& redaction) {
  switch (redaction.secret_class) {
    case SecretClass::session_id:
      return redaction.whose != Whose::none;
    case SecretClass::csrf_token:
    case SecretClass::device_id:
    case SecretClass::task_id:
    case SecretClass::account:
    case SecretClass::private_data:
      return false;
    default:
      // Only sessions own values, and these classes have no other values of a session.
      return redaction.whose != Whose::none;
  }
}

bool is_placeholder(std::string_view text) {
  if (!text.starts_with('<')) return false;
  for (int i = 0; i <= static_cast<int>(last_secret_class); ++i) {
    if (text == placeholder(static_cast<SecretClass>(i))) return true;
  }
  return false;
}

std::string hole_label(const Redaction& redaction) {
  if (redaction.rule == rule_of_accepted && redaction.whose == Whose::none) return std::string(login_label);
  std::string label(to_string(redaction.secret_class));
  if (redaction.whose == Whose::another) return label + ":another";
  if (redaction.whose == Whose::own && redaction.ordinal > 0) label += ":" + std::to_string(redaction.ordinal);
  return label;
}

void append_body(InteractionRecord& to, const InteractionRecord& from) {
  std::string& body = to.response.body;
  for (Redaction row : from.redactions) {
    if (row.part != Part::response_body) continue;
    row.offset += body.size();
    to.redactions.push_back(std::move(row));
  }
  body += from.response.body;
}

std::vector<api::Hole> holes_of(const InteractionRecord& record) {
  std::vector<api::Hole> holes;
  for (const Redaction& row : record.redactions) {
    if (row.part != Part::request_target && row.part != Part::request_body) continue;
    // requests contain the pseudonym, so it is part of the key
    if (row.secret_class == SecretClass::private_data) continue;
    const auto part = row.part == Part::request_target ? api::RequestPart::target : api::RequestPart::body;
    holes.push_back({part, {row.offset, row.length}, hole_label(row)});
  }
  return holes;
}

api::RequestKey key_of(const InteractionRecord& record, const api::KeyPolicy& policy, std::string_view base_path,
                       const std::vector<api::Hole>& holes) {
  api::RequestKey key = policy.key(record.request, base_path, holes);
  const auto range = record.request.headers.first("Range");
  const bool is_of_range = record.response.status == 206 || record.response.status == 416;
  return range && is_of_range ? key.with_range(*range) : key;
}

std::string secret_text(const Redaction& redaction) {
  return std::string(to_string(redaction.secret_class)) + "/" + std::to_string(static_cast<int>(redaction.whose)) +
         "/" + std::to_string(redaction.owner) + "/" + std::to_string(redaction.ordinal);
}

Redaction secret_in(std::string_view text) {
  Redaction redaction;
  redaction.secret_class = secret_class_from(base::take_until(text, '/')).value_or(redaction.secret_class);
  redaction.whose = static_cast<Whose>(base::whole_number<int>(base::take_until(text, '/')).value_or(0));
  redaction.owner = base::whole_number<std::uint32_t>(base::take_until(text, '/')).value_or(0);
  redaction.ordinal = base::whole_number<std::uint32_t>(base::take_until(text, '/')).value_or(0);
  redaction.shape = text;
  return redaction;
}

}  // namespace tapedeck::scrubbers
