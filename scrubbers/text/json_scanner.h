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

/// What a key says before anybody asks where it stands.
enum class KeyChance : std::uint8_t {
  none,     ///< its value is never wanted in this text
  some,     ///< it may be, wherever it stands
  by_path,  ///< it may be, and its path matters
};

class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  /// Asked about a key, not for each time that it stands in the text.
  virtual KeyChance chance_of(std::string_view key) = 0;
  /// The rule for the value of a key that has a chance; nothing to pass over it. The path is empty unless it matters.
  /// `object` is where the innermost bracket was opened.
  virtual std::optional<RuleMatch> wanted(std::string_view key, JsonPath path_with_key, std::size_t object) = 0;
  /// A wanted value: the inside of a string, or a number's digits; or such an element of a wanted array. Not for null,
  /// true, false and empty strings.
  virtual void value(RuleMatch match, std::size_t begin, std::size_t end, bool is_string) = 0;
  /// The inside of a string that looks like JSON in JSON (it begins with a bracket and has escapes).
  virtual void nested(std::size_t begin, std::size_t end) = 0;
};

/// Calls the visitor for all of `text`, which is shorter than 4 GiB. `keys` may be null.
void scan_json(std::string_view text, JsonVisitor& visitor, KeyLog* keys);

/// True for what is scanned: a bracket is its first byte, after white space, a byte order mark, a guard such as `)]}',`
/// or a call's name such as `callback(`.
[[nodiscard]] bool looks_like_json(std::string_view text);

}  // namespace tapedeck::scrubbers
