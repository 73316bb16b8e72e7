#pragma once
// Recognizes values that a client draws anew in each run.

#include <cstdint>
#include <string_view>

namespace tapedeck::cassettes {

/// Returns true for a time within 36 hours of `at_us` (microseconds since 1970): a number of seconds, milliseconds, or
/// microseconds, in decimal or hex, or an ISO 8601 time.
[[nodiscard]] bool is_time_near(std::string_view value, std::int64_t at_us);
/// Returns true for a UUID, and for 16 or more hex digits or letters and digits of both cases that look random.
[[nodiscard]] bool is_random_id(std::string_view value);
/// Returns true for such a time or ID.
[[nodiscard]] bool looks_generated(std::string_view value, std::int64_t at_us);

}  // namespace tapedeck::cassettes
