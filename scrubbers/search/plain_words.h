#pragma once
// Words that are passwords and names as well as ordinary text: replaced under their name, never searched for.

#include <string_view>

namespace tapedeck::scrubbers {

/// True for a common word, an API or method name of the catalog (with any first label), without case.
[[nodiscard]] bool is_plain_word(std::string_view text);

}  // namespace tapedeck::scrubbers
