#pragma once
// Where the pieces of a JSON text are, so that they can be taken out byte for byte. No DOM: a device's spelling of a
// number or a string is never written anew.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::api {

struct JsonMember {
  std::string_view key;    ///< between the quotes, escapes as they stand
  std::string_view value;  ///< from its first byte to its last, without white space around it
};

/// The members of an object in order, duplicates included; nothing for any other text. Values are walked over, not
/// checked: what is inside them may be no JSON.
[[nodiscard]] std::optional<std::vector<JsonMember>> json_members(std::string_view object);
/// The elements of an array; nothing for any other text.
[[nodiscard]] std::optional<std::vector<std::string_view>> json_elements(std::string_view array);
/// The value of the last member of that name; nothing when there is none.
[[nodiscard]] std::optional<std::string_view> json_member(std::string_view object, std::string_view key);
/// `text` as a JSON string, quotes included; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace tapedeck::api
