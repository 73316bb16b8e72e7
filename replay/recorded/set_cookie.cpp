#include "replay/recorded/set_cookie.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "http/message/message.h"

namespace tapedeck::replay {
namespace {

using base::is_digit;

/// One `; name=value` of a Set-Cookie line: [begin, end), starting at the semicolon.
struct Attribute {
  std::size_t begin = 0, end = 0;
  std::string_view name, value;

  [[nodiscard]] bool is(std::string_view wanted) const { return http::equal_no_case(name, wanted); }
};

std::vector<Attribute> attributes(std::string_view line) {
  std::vector<Attribute> found;
  for (std::size_t at = line.find(';'); at < line.size();) {
    const std::size_t end = std::min(line.find(';', at + 1), line.size());
    const std::string_view piece = line.substr(at + 1, end - at - 1);
    const std::size_t equals = std::min(piece.find('='), piece.size());
    found.push_back(
        {at, end, base::trim(piece.substr(0, equals)), base::trim(piece.substr(std::min(equals + 1, piece.size())))});
    at = end;
  }
  return found;
}

/// Parses Max-Age by RFC 6265 §5.2.2. Returns nothing for a value that must be ignored.
std::optional<bool> is_over(std::string_view max_age) {
  const bool negative = max_age.starts_with('-');
  const std::string_view digits = max_age.substr(negative ? 1 : 0);
  if ((digits.empty() && !negative) || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  return negative || digits.find_first_not_of('0') == std::string_view::npos;
}

/// Applies RFC 6265 §5.3: the last attribute of each kind counts, and Max-Age overrides Expires.
bool is_deletion(const std::vector<Attribute>& all) {
  std::optional<bool> by_age;
  bool by_date = false;
  for (const Attribute& one : all) {
    if (one.is("Max-Age")) {
      if (const auto over = is_over(one.value)) by_age = over;
    } else if (one.is("Expires")) {
      by_date = one.value.find("1970") != std::string_view::npos || one.value.find("-70 ") != std::string_view::npos;
    }
  }
  return by_age.value_or(by_date);
}

bool needs_secure(std::string_view name, const std::vector<Attribute>& all) {
  for (const std::string_view prefix : {"__Host-", "__Secure-"}) {
    if (http::equal_no_case(name.substr(0, prefix.size()), prefix)) return true;
  }
  const auto same_site =
      std::find_if(all.rbegin(), all.rend(), [](const Attribute& one) { return one.is("SameSite"); });
  return same_site != all.rend() && http::equal_no_case(same_site->value, "None");
}

}  // namespace

std::vector<KeptPiece> kept_of_cookie(std::string_view line, bool secure) {
  const std::vector<Attribute> all = attributes(line);
  const std::string_view name = base::trim(line.substr(std::min(line.find(':') + 1, line.size())));
  const bool keeps_lifetime = is_deletion(all);
  const bool keeps_secure = secure || needs_secure(name, all);
  std::vector<KeptPiece> kept{{0, std::min(line.find(';'), line.size())}};
  for (const Attribute& one : all) {
    const bool is_lifetime = one.is("Expires") || one.is("Max-Age");
    if (one.is("Domain") || (is_lifetime && !keeps_lifetime) || (one.is("Secure") && !keeps_secure)) continue;
    kept.push_back({one.begin, one.end});
  }
  return kept;
}

}  // namespace tapedeck::replay
