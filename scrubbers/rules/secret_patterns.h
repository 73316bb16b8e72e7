#pragma once
// The shipped patterns: shapes of secrets under any name.

#include <span>
#include <string_view>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

struct PatternRow {
  std::string_view id;
  std::string_view expression;  ///< RE2: its first group, or the whole match
  SecretClass secret_class;
  bool learn;
  Values values;
  bool in_url;  ///< with percent-encoding
  std::string_view reason;
};
[[nodiscard]] std::span<const PatternRow> secret_patterns();

/// A text without which a shipped pattern cannot match. It is searched for first, because that is ten times as fast.
struct Anchor {
  std::string_view id;  ///< the rule's
  std::string_view text;
  std::size_t before = 0;  ///< how far before the text a match can begin; 0: it begins with it
};
/// A shipped pattern has one or several; a user's pattern has none and is tried everywhere.
[[nodiscard]] std::span<const Anchor> shipped_anchors();

}  // namespace tapedeck::scrubbers
