#pragma once
// Targets, queries and forms: split and decoded by the WHATWG urlencoded rules, with the place of every piece in the
// raw text, so that a value can be replaced there and nothing else changes.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/message.h"

namespace tapedeck::http {

/// A piece of a raw text: [offset, offset + length).
struct Span {
  std::size_t offset = 0;
  std::size_t length = 0;
  bool operator==(const Span&) const = default;
};

/// One name=value pair, decoded once: '+' is a space, bytes that are not UTF-8 survive, a broken escape ("%zz") stays
/// as it is, "a=b=c" has the value "b=c", and a piece without '=' has an empty value. Empty pieces ("&&") are no pair.
struct Pair {
  std::string name;
  std::string value;
};

[[nodiscard]] std::vector<Pair> parse_urlencoded(std::string_view text);

/// Where a pair stands in its text, not decoded.
struct RawPair {
  Span name;
  Span value;  ///< length 0 when there is no '='
};

/// The first pair at or behind `at`, which moves behind it; nothing when there is none: `for (std::size_t at = 0; const
/// auto pair = next_pair(text, at);)`.
[[nodiscard]] std::optional<RawPair> next_pair(std::string_view text, std::size_t& at);

/// RFC 3986 §2.3.
[[nodiscard]] constexpr bool is_unreserved(char c) {
  return base::is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}
/// Percent-decoding of a path or a query piece; '+' becomes a space only when `plus_is_space`.
[[nodiscard]] std::string percent_decode(std::string_view text, bool plus_is_space);
/// Encodes everything but RFC 3986 unreserved characters.
[[nodiscard]] std::string percent_encode(std::string_view text);

/// A target in origin form, cut at the first '?' (both are views into the argument). `query` is without the '?'.
struct TargetParts {
  std::string_view path;
  std::string_view query;
  bool has_query = false;
};
[[nodiscard]] TargetParts split_target(std::string_view target);

/// True when the request's Content-Type is application/x-www-form-urlencoded (parameters aside, without case).
[[nodiscard]] bool is_form(const Headers& headers);

}  // namespace tapedeck::http
