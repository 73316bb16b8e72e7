#pragma once
// Lists the shipped patterns, which recognize secrets by their shape under any name.

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
  std::string_view id;  ///< ID of the rule
  std::string_view text;
  std::size_t before = 0;  ///< the maximum distance of the start of a match before the text; 0: at the text
};
/// Returns the anchors. Each shipped pattern has one or more. A custom pattern has none, so it is tried everywhere.
[[nodiscard]] std::span<const Anchor> shipped_anchors();

}  // namespace tapedeck::scrubbers
