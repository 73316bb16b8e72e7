#pragma once
// Lists the shipped endings of names of secrets, and exceptions. Each has a reason, which `tapedeck scrub --rules`
// prints.

#include <span>
#include <string_view>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

struct NameRow {
  std::string_view ending;  ///< NameEndings::add
  SecretClass secret_class;
  Values values;
  std::string_view reason;
  bool yields = false;  ///< ScrubRule::yields
};
[[nodiscard]] std::span<const NameRow> secret_names();

/// Endings of names that look like a secret's but are not.
struct NameException {
  std::string_view ending;  ///< NameEndings::add
  std::string_view reason;
};
[[nodiscard]] std::span<const NameException> name_exceptions();

/// Returns words that, before an ending, make it a setting about a secret ("min_password", "has_token"). The value is
/// then only a secret if it looks random.
[[nodiscard]] std::span<const std::string_view> setting_words();
/// Returns endings of names (NameEndings::add) of values that only describe a secret beside them.
[[nodiscard]] std::span<const std::string_view> describing_words();

}  // namespace tapedeck::scrubbers
