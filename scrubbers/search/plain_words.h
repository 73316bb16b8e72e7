#pragma once
// Recognizes words that are both ordinary text and likely passwords or names. They are replaced under their name, but
// not searched for.

#include <string_view>

namespace tapedeck::scrubbers {

/// Returns true for a common word, and for a name of an API or method in the catalog (with any first label), without
/// case.
[[nodiscard]] bool is_plain_word(std::string_view text);

}  // namespace tapedeck::scrubbers
