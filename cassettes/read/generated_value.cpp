#include "cassettes/read/generated_value.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/text.h"
#include "scrubbers/redaction/redaction.h"

namespace tapedeck::cassettes {
namespace {

constexpr double seconds = 1e6;
constexpr double nearby = 36 * 3600 * seconds;

bool is_number_near(std::optional<std::uint64_t> number, std::int64_t at_us) {
  if (!number) return false;
  for (const double unit : {seconds, seconds / 1e3, 1.0}) {
    if (std::abs(static_cast<double>(*number) * unit - static_cast<double>(at_us)) < nearby) return true;
  }
  return false;
}

/// Returns the days of a date such as 2026-11-28 as microseconds since 1970.
bool is_date_near(std::string_view value, std::int64_t at_us) {
  constexpr std::size_t date = 10;
  if (value.size() <= date || (value[date] != 'T' && value[date] != ' ')) return false;
  // Two days before and after cover 36 hours in every time zone.
  for (int days = -2; days <= 2; ++days) {
    const std::int64_t at = at_us + days * std::int64_t{86'400'000'000};
    if (base::rfc3339(at).substr(0, date) == value.substr(0, date)) return true;
  }
  return false;
}

}  // namespace

bool is_time_near(std::string_view value, std::int64_t at_us) {
  return is_number_near(base::whole_number<std::uint64_t>(value), at_us) ||
         is_number_near(base::whole_number<std::uint64_t>(value, 16), at_us) || is_date_near(value, at_us);
}

bool is_random_id(std::string_view value) {
  constexpr std::size_t shortest = 16;
  constexpr std::ptrdiff_t few = 2;
  const std::string folded = base::fold(value);
  if (scrubbers::shape_of(folded) == "36:uuid") return true;
  if (value.size() < shortest) return false;
  const auto count = [&](bool (*is)(char)) { return std::count_if(value.begin(), value.end(), is); };
  const auto digits = count([](char c) { return base::is_digit(c); });
  const auto lower = count([](char c) { return base::is_lower(c); });
  const auto upper = count([](char c) { return base::is_upper(c); });
  if (base::is_hex(value)) return digits >= few && lower + upper >= few;
  const bool is_plain = static_cast<std::size_t>(digits + lower + upper) == value.size();
  return is_plain && digits >= few && lower >= few && upper >= few;
}

bool looks_generated(std::string_view value, std::int64_t at_us) {
  return is_time_near(value, at_us) || is_random_id(value);
}

}  // namespace tapedeck::cassettes
