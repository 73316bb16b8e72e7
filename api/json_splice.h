#pragma once
// Finds a place in a JSON text and changes it. Requires JSON (is_json()). Spans are places in the text. New values use
// the same white space as their neighbors.

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
  std::size_t begin = 0;    ///< start of the key's quote, or of the element
  std::size_t key_end = 0;  ///< after the key's closing quote; `begin` for an element
  std::size_t value_begin = 0;
  std::size_t end = 0;
  std::string key;  ///< decoded; empty for an element

  [[nodiscard]] http::Span value() const { return {value_begin, end - value_begin}; }
};

/// One level of an object or array.
struct JsonInside {
  bool is_object = false;
  http::Span span;  ///< the value with its brackets
  std::vector<JsonSlot> slots;
};

/// Returns the value without the white space around it.
[[nodiscard]] http::Span json_root(std::string_view text);
/// Returns the text of a key with escapes.
[[nodiscard]] std::string json_key(std::string_view raw);
/// Returns nothing for a value that is neither an object nor an array.
[[nodiscard]] std::optional<JsonInside> look_inside(std::string_view text, http::Span value);
/// Returns the slot that a token of a pointer names: the last one of equal keys, or an index without leading zeros.
[[nodiscard]] std::optional<std::size_t> slot_of(const JsonInside& inside, std::string_view token);
/// Returns the value to which the tokens of a pointer lead.
[[nodiscard]] std::optional<http::Span> value_at(std::string_view text, std::span<const std::string> tokens);

void append_member(std::string& text, const JsonInside& object, std::string_view key, std::string_view value);
/// Removes every member with this key. Otherwise, an earlier duplicate would become visible.
void remove_all(std::string& text, const JsonInside& object, std::string_view key);

/// Does what "add" does in RFC 6902 §4.1: sets a member, inserts an element before an index, or appends it for "-" or
/// the index after the last. Without tokens, replaces the whole text. Returns false if there is no such place.
[[nodiscard]] bool add_at(std::string& text, std::span<const std::string> tokens, std::string_view value);
/// Removes a value (RFC 6902 §4.2). Returns false if there is no such place, or if it is the whole text.
[[nodiscard]] bool remove_at(std::string& text, std::span<const std::string> tokens);

}  // namespace tapedeck::api
