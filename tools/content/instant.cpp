#include "tools/content/instant.h"

#include <time.h>

#include "base/text.h"

namespace tapedeck::tools {

namespace {

constexpr std::int64_t second = 1'000'000;

/// Returns the value of `count` digits at `at`, or nothing if they are not all digits.
std::optional<int> digits_at(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < at + count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (!base::is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

/// Removes decimals from the start of the text and returns them in microseconds.
std::int64_t take_decimals(std::string_view& text) {
  std::int64_t value = 0, weight = second / 10;
  if (text.empty() || (text.front() != '.' && text.front() != ',')) return 0;
  text.remove_prefix(1);
  for (; !text.empty() && base::is_digit(text.front()); text.remove_prefix(1), weight /= 10) {
    value += weight * (text.front() - '0');
  }
  return value;
}

/// Returns the offset from UTC in seconds of "Z", "+01:00", or "+0100".
std::optional<std::int64_t> zone_of(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  const bool has_colon = text.size() == 6 && text[3] == ':';
  const auto hours = digits_at(text, 1, 2), minutes = digits_at(text, has_colon ? 4 : 3, 2);
  if (!hours || !minutes || text.size() != (has_colon ? 6u : 5u)) return std::nullopt;
  const std::int64_t east = (*hours * 60 + *minutes) * 60;
  return text.front() == '-' ? -east : east;
}

}  // namespace

std::optional<std::int64_t> microseconds_of(std::string_view iso, bool may_be_short) {
  const auto year = digits_at(iso, 0, 4), month = digits_at(iso, 5, 2), day = digits_at(iso, 8, 2);
  if (!year || !month || !day || iso[4] != '-' || iso[7] != '-') return std::nullopt;
  struct tm date {};
  date.tm_year = *year - 1900;
  date.tm_mon = *month - 1;
  date.tm_mday = *day;
  const std::int64_t midnight = timegm(&date);
  // timegm() changes an invalid date, such as 2026-02-30 to March 2.
  if (date.tm_mon != *month - 1 || date.tm_mday != *day) return std::nullopt;
  std::string_view rest = iso.substr(10);
  if (may_be_short && (rest.empty() || rest == "Z")) return midnight * second;
  const auto hour = digits_at(rest, 1, 2), minute = digits_at(rest, 4, 2);
  if (!hour || !minute || (rest[0] != 'T' && rest[0] != ' ') || rest[3] != ':') return std::nullopt;
  rest.remove_prefix(6);
  const bool has_seconds = rest.starts_with(':');
  const auto seconds = has_seconds ? digits_at(rest, 1, 2) : may_be_short ? std::optional(0) : std::nullopt;
  if (!seconds || *hour > 23 || *minute > 59 || *seconds > 60) return std::nullopt;  // 60: a leap second
  if (has_seconds) rest.remove_prefix(3);
  const std::int64_t decimals = take_decimals(rest);
  const auto zone = may_be_short && rest.empty() ? std::optional<std::int64_t>(0) : zone_of(rest);
  if (!zone) return std::nullopt;
  return (midnight + *hour * 3600 + *minute * 60 + *seconds - *zone) * second + decimals;
}

}  // namespace tapedeck::tools
