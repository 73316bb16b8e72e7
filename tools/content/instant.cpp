#include "tools/content/instant.h"

#include <re2/re2.h>
#include <time.h>

#include "base/text.h"

namespace tapedeck::tools {

namespace {

constexpr std::int64_t per_second = 1'000'000;  // microseconds

/// Returns the offset from UTC in seconds of "Z", "+01:00", "+0100", or "".
std::int64_t seconds_east(std::string_view zone) {
  if (zone.size() < 5) return 0;
  const int hours = base::whole_number<int>(zone.substr(1, 2)).value_or(0);
  const int minutes = base::whole_number<int>(zone.substr(zone.size() - 2)).value_or(0);
  return (zone.front() == '-' ? -1 : 1) * (hours * 60 + minutes) * 60;
}

}  // namespace

std::optional<std::int64_t> microseconds_of(std::string_view iso, bool may_be_short) {
  static const re2::RE2 pattern(
      R"((\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d*))?)?)?([Zz]|[+-]\d\d:?\d\d)?)");
  re2::StringPiece found[9];
  if (!pattern.Match({iso.data(), iso.size()}, 0, iso.size(), re2::RE2::ANCHOR_BOTH, found, 9)) return std::nullopt;
  const auto text = [&](int group) { return std::string_view(found[group].data(), found[group].size()); };
  const auto number = [&](int group) { return base::whole_number<int>(text(group)).value_or(0); };
  if (!may_be_short && (text(6).empty() || text(8).empty())) return std::nullopt;
  if (number(4) > 23 || number(5) > 59 || number(6) > 60) return std::nullopt;  // 60: a leap second
  struct tm date {};
  date.tm_year = number(1) - 1900;
  date.tm_mon = number(2) - 1;
  date.tm_mday = number(3);
  const std::int64_t midnight = timegm(&date);
  // timegm() changes an invalid date, such as 2026-02-30 to March 2.
  if (date.tm_mon != number(2) - 1 || date.tm_mday != number(3)) return std::nullopt;
  const std::string decimals = std::string(text(7)).append("000000").substr(0, 6);
  return (midnight + number(4) * 3600 + number(5) * 60 + number(6) - seconds_east(text(8))) * per_second +
         base::whole_number<int>(decimals).value_or(0);
}

}  // namespace tapedeck::tools
