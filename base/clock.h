#pragma once
// Returns the current time, and times as text. All times are microseconds since 1970 in UTC.

#include <cstddef>
#include <cstdint>
#include <string>

namespace tapedeck::base {

[[nodiscard]] std::int64_t now_us();

/// Returns "2026-11-22 16:00:05".
[[nodiscard]] std::string human_time(std::int64_t microseconds);
/// Returns "2026-11-22T16:00:05.123Z" (RFC 3339), or with all six decimals.
[[nodiscard]] std::string rfc3339(std::int64_t microseconds, std::size_t decimals = 3);
/// Returns "2026-11-22".
[[nodiscard]] std::string human_day(std::int64_t microseconds);

}  // namespace tapedeck::base
