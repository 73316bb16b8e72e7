#pragma once
// Knows the structure of messages: the names of APIs, methods, parameters, members, and headers, the paths of the
// interface, and the text around them. A secret that looks like a part of it would be found in most messages.

#include <string_view>

namespace tapedeck::scrubbers {

/// Returns true for a part of a name, of a path, or of the usual text of a message: `entry.cgi?api=`, `SYNO.Core.`,
/// `"success":true`.
[[nodiscard]] bool is_in_structure(std::string_view text);

/// Returns true for a whole name in the catalog or the specification, and for a whole fixed path such as `entry.cgi`.
[[nodiscard]] bool is_message_name(std::string_view name);

/// Returns true for a segment of the fixed paths: `webapi`, `entry.cgi`.
[[nodiscard]] bool is_fixed_segment(std::string_view segment);

}  // namespace tapedeck::scrubbers
