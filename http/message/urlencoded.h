#pragma once
// Splits and decodes targets, queries, and forms by the WHATWG rules for urlencoded text. Reports the place of each
// piece in the raw text, so that a value can be replaced without changing anything else.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/message.h"

namespace tapedeck::http {

/// The range [offset, offset + length) of a raw text.
struct Span {
  std::size_t offset = 0;
  std::size_t length = 0;
  bool operator==(const Span&) const = default;
};

/// One name=value pair, decoded once. '+' becomes a space. Bytes that are not UTF-8 and invalid escapes ("%zz") stay.
/// In "a=b=c", the value is "b=c". A piece without '=' has an empty value. Empty pieces ("&&") are skipped.
struct Pair {
  std::string name;
  std::string value;
};

[[nodiscard]] std::vector<Pair> parse_urlencoded(std::string_view text);

/// The place of a pair in its text.
struct RawPair {
  Span name;
  Span value;  ///< has length 0 if there is no '='
};

/// Returns the first pair at or after `at`, or nothing if there is none. Moves `at` past it. Use it in a loop: `for
/// (std::size_t at = 0; const auto pair = next_pair(text, at);)`.
[[nodiscard]] std::optional<RawPair> next_pair(std::string_view text, std::size_t& at);

/// Returns the value of the first parameter of this name in the query of a target, as it is written. Empty without one.
[[nodiscard]] std::string_view raw_parameter(std::string_view target, std::string_view name);

/// Returns true for an unreserved character (RFC 3986 §2.3).
[[nodiscard]] constexpr bool is_unreserved(char c) {
  return base::is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}
/// Decodes percent escapes in a path or a piece of a query. With `plus_is_space`, '+' becomes a space.
[[nodiscard]] std::string percent_decode(std::string_view text, bool plus_is_space);
/// Encodes all characters except the unreserved ones of RFC 3986.
[[nodiscard]] std::string percent_encode(std::string_view text);

/// A target in origin form, split at the first '?'. Both parts are views of the argument. `query` does not include the
/// '?'.
struct TargetParts {
  std::string_view path;
  std::string_view query;
  bool has_query = false;
};
[[nodiscard]] TargetParts split_target(std::string_view target);

/// Returns true if the Content-Type is application/x-www-form-urlencoded. Ignores its parameters and case.
[[nodiscard]] bool is_form(const Headers& headers);

}  // namespace tapedeck::http
