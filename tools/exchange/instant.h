#pragma once
// Moments as text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::tools {

/// "2026-11-22T17:00:05.123456Z" of microseconds since the epoch.
[[nodiscard]] std::string iso_time(std::int64_t microseconds);
/// The inverse, for ISO 8601 with a `T` or a blank, any number of decimals, and `Z` or an offset; nothing for other
/// texts. With `may_be_short` the time of day, its seconds, and the zone (UTC) may be missing.
[[nodiscard]] std::optional<std::int64_t> microseconds_of(std::string_view iso, bool may_be_short = false);

}  // namespace tapedeck::tools
