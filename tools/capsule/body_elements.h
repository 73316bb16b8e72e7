#pragma once
// What can be taken out of a recorded JSON body: elements of lists, members of objects, and the ends of long strings.
// Bodies are marked texts (tools/marks.h), so a redaction goes or stays as a whole.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::tools {

/// The tokens of a JSON pointer.
using BodyPlace = std::vector<std::string>;

/// Returns the elements and members that are `depth` tokens away from the root, in the order of the body; nothing for a
/// body that is not JSON. `success` and `error.code` of an envelope are left out, also of those of a compound's parts.
[[nodiscard]] std::vector<BodyPlace> removable_places(std::string_view body, std::size_t depth);
/// The depth of the deepest element; 0 for a body that is not JSON or has none.
[[nodiscard]] std::size_t depth_of(std::string_view body);
/// Everything else stays as it is, byte by byte. The places are all of one depth.
[[nodiscard]] std::string without_places(std::string body, const std::vector<BodyPlace>& places);

/// Strings of more than `longest` bytes without a mark.
[[nodiscard]] std::vector<BodyPlace> long_strings(std::string_view body, std::size_t longest);
/// Cuts the strings there to `length` bytes or a little less, so that no character is cut.
[[nodiscard]] std::string with_short_strings(std::string body, const std::vector<BodyPlace>& places,
                                             std::size_t length);

}  // namespace tapedeck::tools
