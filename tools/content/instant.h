#pragma once
// Parses times.

#include <cstdint>
#include <optional>
#include <string_view>

namespace tapedeck::tools {

/// Returns microseconds since 1970. Parses ISO 8601 with a `T` or a space, any number of decimals, and `Z` or an
/// offset. Returns nothing for other texts. With `may_be_short`, the time of day, the seconds, and the zone (UTC) are
/// optional.
[[nodiscard]] std::optional<std::int64_t> microseconds_of(std::string_view iso, bool may_be_short = false);

}  // namespace tapedeck::tools
