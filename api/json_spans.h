#pragma once
// Finds the pieces of a JSON text without copying or rewriting them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::api {

/// Returns true for one JSON value of any depth, with white space around it. The library alone would take a NUL for the
/// end of the text.
[[nodiscard]] bool is_json_text(std::string_view text);

struct JsonMember {
  std::string_view key;    ///< between the quotes, with its escapes
  std::string_view value;  ///< without the white space around it
};

/// Returns the members of an object in order, with duplicates, or nothing for any other text. Values are skipped, not
/// checked.
[[nodiscard]] std::optional<std::vector<JsonMember>> json_members(std::string_view object);
/// Returns the elements of an array, or nothing for any other text.
[[nodiscard]] std::optional<std::vector<std::string_view>> json_elements(std::string_view array);
/// Returns the value of the last member with this name, or nothing.
[[nodiscard]] std::optional<std::string_view> json_member(std::string_view object, std::string_view key);
/// Returns `text` as a JSON string with quotes. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace tapedeck::api
