#include "replay/recorded/set_cookie.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "base/text.h"
#include "http/message/message.h"

namespace tapedeck::replay {
namespace {

using base::is_digit;

/// RFC 6265 §5.1.1, delimiter.
bool is_delimiter(char c) {
  return c == '\t' || (c >= ' ' && c <= '/') || (c >= ';' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

/// Takes a number of `least` to `most` digits from the front of `text`. Returns nothing if there are fewer or more
/// digits.
std::optional<int> take_number(std::string_view& text, std::size_t least, std::size_t most) {
  const auto digits = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  if (digits < least || digits > most) return std::nullopt;
  int number = 0;
  std::from_chars(text.data(), text.data() + digits, number);
  text.remove_prefix(digits);
  return number;
}

std::optional<std::chrono::seconds> time_of(std::string_view token) {
  std::array<int, 3> fields{};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) {
      if (!token.starts_with(':')) return std::nullopt;
      token.remove_prefix(1);
    }
    const auto field = take_number(token, 1, 2);
    if (!field) return std::nullopt;
    fields.at(i) = *field;
  }
  if (fields[0] > 23 || fields[1] > 59 || fields[2] > 59) return std::nullopt;
  return std::chrono::hours(fields[0]) + std::chrono::minutes(fields[1]) + std::chrono::seconds(fields[2]);
}

std::optional<unsigned> month_of(std::string_view token) {
  constexpr std::array<std::string_view, 12> months = {"jan", "feb", "mar", "apr", "may", "jun",
                                                       "jul", "aug", "sep", "oct", "nov", "dec"};
  for (unsigned i = 0; i < months.size(); ++i) {
    if (http::equal_no_case(token.substr(0, 3), months.at(i))) return i + 1;
  }
  return std::nullopt;
}

int whole_year(int year) {
  if (year >= 70 && year <= 99) return year + 1900;
  return year <= 69 ? year + 2000 : year;
}

/// The parts of a date. Tokens may be in any order: each one is the first part that it can be and that is not known
/// yet.
struct DateParts {
  std::optional<std::chrono::seconds> time;
  std::optional<int> day, year;
  std::optional<unsigned> month;

  void see(std::string_view token) {
    if (!time && (time = time_of(token))) return;
    std::string_view rest = token;
    if (!day && (day = take_number(rest, 1, 2))) return;
    if (!month && (month = month_of(token))) return;
    if (!year && (year = take_number(rest = token, 2, 4))) year = whole_year(*year);
  }
};

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
bool is_deletion(const std::vector<Attribute>& all, std::int64_t recorded) {
  std::optional<bool> by_age, by_date;
  for (const Attribute& one : all) {
    if (one.is("Max-Age")) {
      if (const auto over = is_over(one.value)) by_age = over;
    } else if (one.is("Expires")) {
      if (const auto date = cookie_date(one.value)) by_date = *date <= recorded;
    }
  }
  return by_age.value_or(by_date.value_or(false));
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

std::optional<std::int64_t> cookie_date(std::string_view text) {
  DateParts parts;
  for (std::size_t at = 0; at < text.size();) {
    const auto* const begin = std::find_if_not(text.begin() + at, text.end(), is_delimiter);
    const auto* const end = std::find_if(begin, text.end(), is_delimiter);
    parts.see({begin, static_cast<std::size_t>(end - begin)});
    at = static_cast<std::size_t>(end - text.begin());
  }
  if (!parts.time || !parts.day || !parts.month || !parts.year || *parts.year < 1601) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*parts.year), std::chrono::month(*parts.month),
                                         std::chrono::day(static_cast<unsigned>(*parts.day))};
  if (!date.ok()) return std::nullopt;
  return (std::chrono::sys_days(date).time_since_epoch() + *parts.time).count();
}

std::vector<KeptPiece> kept_of_cookie(std::string_view line, std::int64_t recorded, bool secure) {
  const std::vector<Attribute> all = attributes(line);
  const std::string_view name = base::trim(line.substr(std::min(line.find(':') + 1, line.size())));
  const bool keeps_lifetime = is_deletion(all, recorded);
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
