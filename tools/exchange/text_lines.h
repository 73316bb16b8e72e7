#pragma once
// The words of the text form, which export and import share (docs/text-form.md).

#include <cstddef>
#include <string_view>

namespace tapedeck::tools::text_lines {

inline constexpr std::string_view review_head = "tapedeck text 1";
inline constexpr std::string_view all_head = "tapedeck text 1, all";
inline constexpr std::string_view interaction = "interaction ";
inline constexpr std::string_view take = "take ", scope = "scope ", session = "session ", mark = "mark ",
                                  allowed = "allowed ", end = "end ";
inline constexpr std::string_view about = "  about ", redacted = "  redacted ";
inline constexpr std::string_view request = "  > ", answer = "  < ";
inline constexpr std::string_view body = "body ";
/// How a body's lines are written.
inline constexpr std::string_view as_json = "json", as_json_line = "json, line end", as_text = "text",
                                  as_base64 = "base64";
inline constexpr std::string_view body_indent = "    ", text_indent = "    |";
inline constexpr std::size_t base64_width = 76;

}  // namespace tapedeck::tools::text_lines
