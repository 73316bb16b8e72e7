#pragma once
// What names a finding without showing it.

#include <string>
#include <string_view>

namespace tapedeck::scan {

/// 32 hex digits of a salted hash that costs about a millisecond: the value in it may be a weak one.
[[nodiscard]] std::string slow_fingerprint(std::string_view text);

}  // namespace tapedeck::scan
