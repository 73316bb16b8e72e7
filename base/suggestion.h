#pragma once
// Suggests the right spelling of a mistyped word.

#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::base {

/// Returns the edit distance: how many characters must be inserted, deleted, changed, or swapped with the next one to
/// turn `a` into `b`.
[[nodiscard]] std::size_t distance(std::string_view a, std::string_view b);

/// Returns the nearest known word: one that starts with `word`, or whose edit distance is at most a third of the length
/// of `word`. Returns an empty text if no word is near, or if two are equally near.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace tapedeck::base
