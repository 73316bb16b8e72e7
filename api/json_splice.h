#pragma once
// Finding a place in a JSON text and changing it there, with nothing else touched. Texts are JSON (is_json); spans are
// places in them. What is put in takes the white space of its neighbours.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/urlencoded.h"

namespace tapedeck::api {

/// A member of an object or an element of an array.
struct JsonSlot {
  std::size_t begin = 0;    ///< of the key's quote, or of the element
  std::size_t key_end = 0;  ///< behind the key's quote; of an element `begin`
  std::size_t value_begin = 0;
  std::size_t end = 0;
  std::string key;  ///< decoded; empty for an element

  [[nodiscard]] http::Span value() const { return {value_begin, end - value_begin}; }
};

/// An object or array, taken apart by one level.
struct JsonInside {
  bool is_object = false;
  http::Span span;  ///< brackets included
  std::vector<JsonSlot> slots;
};

/// The value without the white space around it.
[[nodiscard]] http::Span json_root(std::string_view text);
/// The text of a key, whose escapes stand in `raw` as they are spelled.
[[nodiscard]] std::string json_key(std::string_view raw);
/// Nothing for a value that is neither object nor array.
[[nodiscard]] std::optional<JsonInside> look_inside(std::string_view text, http::Span value);
/// Which slot a token of a pointer names: of equal keys the last; an index without leading zeros.
[[nodiscard]] std::optional<std::size_t> slot_of(const JsonInside& inside, std::string_view token);
/// The value that the tokens of a pointer lead to.
[[nodiscard]] std::optional<http::Span> value_at(std::string_view text, std::span<const std::string> tokens);

void append_member(std::string& text, const JsonInside& object, std::string_view key, std::string_view value);
/// Every member of that key, so that no earlier one shows up behind it.
void remove_all(std::string& text, const JsonInside& object, std::string_view key);

/// RFC 6902 §4.1: sets a member, puts an element before the one at the index or, at the index of none or "-", behind
/// the last; no tokens replace the whole. False when there is no such place.
[[nodiscard]] bool add_at(std::string& text, std::span<const std::string> tokens, std::string_view value);
/// RFC 6902 §4.2. False when there is no such place, or it is the whole text.
[[nodiscard]] bool remove_at(std::string& text, std::span<const std::string> tokens);

}  // namespace tapedeck::api
