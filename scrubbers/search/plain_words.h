#pragma once
// Words that are passwords and names as well as ordinary text: replaced under their name, but not searched for.

#include <string_view>

namespace tapedeck::scrubbers {

/// Returns true for a common word, and for a name of an API or method in the catalog (with any first label), without
/// case.
[[nodiscard]] bool is_plain_word(std::string_view text);

}  // namespace tapedeck::scrubbers
