#pragma once
// JSON laid out for people, without a DOM: strings, numbers and the order of keys stay as they are spelled.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::tools {

/// Two spaces a level, one member a line; empty objects and arrays in one piece. Nothing for what is no JSON.
[[nodiscard]] std::optional<std::string> pretty_json(std::string_view text);
/// Without white space outside of strings. Nothing for what is no JSON.
[[nodiscard]] std::optional<std::string> compact_json(std::string_view text);
/// The pretty form where that loses nothing: compact_json() of it gives `text` back.
[[nodiscard]] std::optional<std::string> lossless_pretty(std::string_view text);

}  // namespace tapedeck::tools
