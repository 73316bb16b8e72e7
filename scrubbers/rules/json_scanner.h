#pragma once
// Finds values by key in JSON, valid or not, and reports their places in the raw bytes. It skips anything that is not
// JSON and continues, and treats everything that could be a key with a value as one. So a body is scrubbed as a lenient
// client would read it (missing commas, colons, and quotes, single quotes, bare keys, text after NUL, duplicate and
// escaped keys, invalid UTF-8). It stores levels on a stack of its own instead of recursing.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

/// The hashes of all keys with 4 bytes or more. A secret that is also a key is too common to be searched for
/// everywhere.
class KeyLog {
 public:
  static constexpr std::size_t shortest = 4, most = 1u << 16;

  void note(std::string_view key) {
    if (key.size() >= shortest && hashes_.size() < most) hashes_.insert(hash(key));
  }
  [[nodiscard]] const std::unordered_set<std::size_t>& hashes() const { return hashes_; }
  [[nodiscard]] static std::size_t hash(std::string_view key) { return std::hash<std::string_view>()(key); }

 private:
  std::unordered_set<std::size_t> hashes_;
};

/// The decoded keys from the root to a value. Lists are not a level, so elements have the path of their list.
using JsonPath = std::span<const std::string>;

class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  /// Returns true if a value of this key may be wanted in some place. Called once for each distinct key.
  virtual bool may_want(std::string_view key) = 0;
  /// Returns the rule for a value of such a key, or nothing to skip the value. `object` is the place of the innermost
  /// opening bracket.
  virtual std::optional<RuleMatch> wanted(std::string_view key, JsonPath path_with_key, std::size_t object) = 0;
  /// Returns true if a value of this key in an object, or below it, is wanted because the object is.
  virtual bool inherits(std::string_view key, RuleMatch object) = 0;
  /// Called for each wanted value, including elements of a wanted array: the content of a string, or the digits of a
  /// number. Not called for null, true, false, and empty strings.
  virtual void value(RuleMatch match, std::size_t begin, std::size_t end, bool is_string) = 0;
  /// Called for everything else that may contain names and values of its own: the content of each other string and key,
  /// an unquoted value, and text outside of all brackets. Nothing of it belongs to another string.
  virtual void text(std::size_t begin, std::size_t end, bool is_escaped) = 0;
};

/// Calls the visitor for the values in `text`, which must be shorter than 4 GiB. Adds keys to `keys` unless it is null.
void scan_json(std::string_view text, JsonVisitor& visitor, KeyLog* keys);

/// Returns true for a text that begins with a bracket, after optional white space, a byte order mark, a guard such as
/// `)]}',`, or a function's name such as `callback(`.
[[nodiscard]] bool looks_like_json(std::string_view text);

/// Returns true for a key such as "key" or "name", in any case, whose value is the name in such an object.
[[nodiscard]] bool says_name(std::string_view key);

/// Returns the name in the JSON object whose bracket is at `object`, or nothing. The name is a string member of the
/// object itself, within 4 KiB.
[[nodiscard]] std::optional<std::string> pair_name(std::string_view text, std::size_t object);

}  // namespace tapedeck::scrubbers
