#pragma once
// Finds and removes parts of a recorded JSON body: elements of lists, members of objects, and the ends of long strings.
// Bodies are marked texts (tools/content/marks.h), so a redaction is removed or stays as a whole.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::tools {

/// The tokens of a JSON pointer.
using BodyPlace = std::vector<std::string>;

/// Returns the elements and members that are `depth` tokens away from the root, in the order of the body. Returns
/// nothing for a body that is not JSON. Leaves out `success` and `error.code` of an envelope, including those of the
/// parts of a compound.
[[nodiscard]] std::vector<BodyPlace> removable_places(std::string_view body, std::size_t depth);
/// Returns the depth of the deepest element; 0 for a body that is not JSON or has none.
[[nodiscard]] std::size_t depth_of(std::string_view body);
/// Removes the places, which must have the same depth. All other bytes stay.
[[nodiscard]] std::string without_places(std::string body, const std::vector<BodyPlace>& places);

/// Returns strings of more than `longest` bytes without a mark.
[[nodiscard]] std::vector<BodyPlace> long_strings(std::string_view body, std::size_t longest);
/// Cuts these strings to `length` bytes or a little less, without splitting characters.
[[nodiscard]] std::string with_short_strings(std::string body, const std::vector<BodyPlace>& places,
                                             std::size_t length);

}  // namespace tapedeck::tools
