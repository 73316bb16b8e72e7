#pragma once

#include <string_view>

namespace tapedeck::scrubbers {

/// The bytes that open an escape, a value, a tag or a hash.
inline constexpr std::string_view opening_marks = "%+\\&=<$";

/// Whether a text may have one of them, or `name: ` outside of quotes. Most answers have none, and one look for all of them takes no longer than one for
/// a single byte. True of short texts, too, where it would not pay. Throws std::runtime_error.
[[nodiscard]] bool may_open_something(std::string_view text);

}  // namespace tapedeck::scrubbers
