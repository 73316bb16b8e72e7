#pragma once

#include <string_view>

namespace tapedeck::scrubbers {

/// The bytes that open an escape, a value, a tag or a hash.
inline constexpr std::string_view opening_marks = "%+\\&=<$";

/// Returns true if a text may have one of them, or `name: ` outside of quotes. Most responses have none, and searching
/// for all at once takes no longer than for one byte. Also true for short texts, where a search would not pay. Throws
/// std::runtime_error.
[[nodiscard]] bool may_open_something(std::string_view text);

}  // namespace tapedeck::scrubbers
