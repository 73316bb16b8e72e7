#include <array>

#include "scrubbers/redaction.h"
#include "scrubbers/rules/scrub_rule.h"

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

bool is_placeholder(std::string_view text) {
  if (text.size() < 3 || text.front() != '<' || text.back() != '>') return false;
  const std::string_view word = text.substr(1, text.size() - 2);
  for (int i = 0; i <= static_cast<int>(last_secret_class); ++i) {
    if (to_string(static_cast<SecretClass>(i)) == word) return true;
  }
  return false;
}

std::string_view to_string(Scope scope) {
  static constexpr std::array<std::string_view, 6> names{"parameter", "header",       "cookie",
                                                         "json_key",  "body_pattern", "name"};
  const auto index = static_cast<std::size_t>(scope);
  return index < names.size() ? names[index] : "unknown scope";
}

std::string hole_label(const Redaction& redaction) {
  std::string label(to_string(redaction.secret_class));
  if (redaction.whose == Whose::another) return label + ":another";
  if (redaction.whose == Whose::own && redaction.ordinal > 0) label += ":" + std::to_string(redaction.ordinal);
  return label;
}

}  // namespace tapedeck::scrubbers
