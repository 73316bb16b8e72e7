#pragma once
// The words of the text form (docs/text-form.md).

#include <string_view>

namespace tapedeck::tools::text_lines {

inline constexpr std::string_view review_head = "tapedeck text 1";
inline constexpr std::string_view interaction = "interaction ";
inline constexpr std::string_view request = "  > ", answer = "  < ";
inline constexpr std::string_view body = "body ";
/// How a body's lines are written.
inline constexpr std::string_view as_json = "json", as_json_line = "json, line end", as_text = "text";
inline constexpr std::string_view body_indent = "    ", text_indent = "    |";

}  // namespace tapedeck::tools::text_lines
