#include "tools/exchange/instant.h"

#include <time.h>

#include <cstdio>

#include "base/text.h"

namespace tapedeck::tools {

namespace {

constexpr std::int64_t second = 1'000'000;

/// That many digits; nothing for anything else.
std::optional<int> digits_at(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < at + count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (!base::is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

/// Microseconds of the decimals in front, which go.
std::int64_t take_decimals(std::string_view& text) {
  std::int64_t value = 0, weight = second / 10;
  if (text.empty() || (text.front() != '.' && text.front() != ',')) return 0;
  text.remove_prefix(1);
  for (; !text.empty() && base::is_digit(text.front()); text.remove_prefix(1), weight /= 10) {
    value += weight * (text.front() - '0');
  }
  return value;
}

/// Seconds east of Greenwich of "Z", "+01:00" or "+0100".
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

std::string iso_time(std::int64_t microseconds) {
  std::int64_t seconds = microseconds / second, rest = microseconds % second;
  if (rest < 0) {
    rest += second;
    --seconds;
  }
  const time_t when = static_cast<time_t>(seconds);
  struct tm date {};
  gmtime_r(&when, &date);
  char text[96];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", date.tm_year + 1900, date.tm_mon + 1,
                date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec, static_cast<int>(rest));
  return text;
}

std::optional<std::int64_t> microseconds_of(std::string_view iso) {
  const auto year = digits_at(iso, 0, 4), month = digits_at(iso, 5, 2), day = digits_at(iso, 8, 2),
             hour = digits_at(iso, 11, 2), minute = digits_at(iso, 14, 2), seconds = digits_at(iso, 17, 2);
  if (!year || !month || !day || !hour || !minute || !seconds) return std::nullopt;
  if (iso[4] != '-' || iso[7] != '-' || (iso[10] != 'T' && iso[10] != ' ') || iso[13] != ':' || iso[16] != ':') {
    return std::nullopt;
  }
  const bool is_date = *month >= 1 && *month <= 12 && *day >= 1 && *day <= 31;
  if (!is_date || *hour > 23 || *minute > 59 || *seconds > 60) return std::nullopt;  // 60: a leap second
  struct tm date {};
  date.tm_year = *year - 1900;
  date.tm_mon = *month - 1;
  date.tm_mday = *day;
  date.tm_hour = *hour;
  date.tm_min = *minute;
  date.tm_sec = *seconds;
  std::string_view rest = iso.substr(19);
  const std::int64_t decimals = take_decimals(rest);
  const auto zone = zone_of(rest);
  if (!zone) return std::nullopt;
  return (static_cast<std::int64_t>(timegm(&date)) - *zone) * second + decimals;
}

}  // namespace tapedeck::tools
