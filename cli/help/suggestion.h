#pragma once
// What somebody may have meant who mistyped a command or an option.

#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::cli {

/// How many letters must be put in, taken out, changed or swapped with the next to make one word of the other.
[[nodiscard]] std::size_t distance(std::string_view a, std::string_view b);

/// The known word that is nearest: one that `word` begins, or that a third of its letters separates from it. Empty when
/// none is near, or when two are equally near.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace tapedeck::cli
