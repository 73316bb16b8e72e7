#pragma once
// The shipped endings of names behind which a secret stands, and what is none although it ends so: data with a reason
// each, as `tapedeck rules` lists it.

#include <span>
#include <string_view>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

struct NameRow {
  std::string_view ending;  ///< NameEndings::add
  SecretClass secret_class;
  Values values;
  std::string_view reason;
};
[[nodiscard]] std::span<const NameRow> secret_names();

/// Endings of names that end like a secret's and are none.
struct NameException {
  std::string_view ending;  ///< NameEndings::add
  std::string_view reason;
};
[[nodiscard]] std::span<const NameException> name_exceptions();

/// Words ahead of the ending that make it a setting about a secret ("min_password", "has_token"): such a value is only
/// a secret when it looks random.
[[nodiscard]] std::span<const std::string_view> setting_words();

}  // namespace tapedeck::scrubbers
