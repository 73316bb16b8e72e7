#pragma once
// Finds values by key in JSON, valid or not, as places in the raw bytes. It never stops: what is not JSON is skipped,
// and what could be a key with a value counts as one, so that a body is scrubbed as a lenient client would read it
// (missing commas, colons, and quotes, single quotes, bare keys, text after NUL, duplicate and escaped keys, invalid
// UTF-8). Levels are on its own stack, without recursion.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "scrubbers/rules/scrub_rule.h"
#include "scrubbers/text/key_log.h"

namespace tapedeck::scrubbers {

/// The decoded keys from the root to a value. Lists are not a level: elements have the path of the list.
using JsonPath = std::span<const std::string>;

/// What is known about a key without its place.
enum class KeyChance : std::uint8_t {
  none,     ///< its value is never searched for in this text
  some,     ///< its value may be, in any place
  by_path,  ///< its value may be, depending on the path
};

class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  /// Returns what is known about a key. Called once for each distinct key.
  virtual KeyChance chance_of(std::string_view key) = 0;
  /// Returns the rule for a value of a key with a chance, or nothing to skip the value. The path is empty unless it
  /// matters. `object` is the place of the innermost opening bracket.
  virtual std::optional<RuleMatch> wanted(std::string_view key, JsonPath path_with_key, std::size_t object) = 0;
  /// Called for each wanted value, also as an element of a wanted array: the content of a string, or the digits of a
  /// number. Not called for null, true, false, and empty strings.
  virtual void value(RuleMatch match, std::size_t begin, std::size_t end, bool is_string) = 0;
  /// Called for the content of a string that looks like JSON, because it begins with a bracket and has escapes.
  virtual void nested(std::size_t begin, std::size_t end) = 0;
};

/// Calls the visitor for the values in `text`, which must be shorter than 4 GiB. Adds keys to `keys` unless it is null.
void scan_json(std::string_view text, JsonVisitor& visitor, KeyLog* keys);

/// Returns true for a text that begins with a bracket, after optional white space, a byte order mark, a guard such as
/// `)]}',`, or a function's name such as `callback(`.
[[nodiscard]] bool looks_like_json(std::string_view text);

}  // namespace tapedeck::scrubbers
