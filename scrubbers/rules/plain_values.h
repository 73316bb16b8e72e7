#pragma once
// Recognizes values that are not secrets although their name suggests it: flags, masks, enumerations, labels.

#include <span>
#include <string_view>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

/// A kind of value that is not replaced, as `tapedeck scrub --rules` prints it.
struct ValueException {
  std::string_view name;
  std::string_view reason;
};
[[nodiscard]] std::span<const ValueException> value_exceptions();

/// Returns true if a value whose name requires `values` is not a secret. `stem` is the ending of the name in lower
/// case, which a label repeats ("Enter your password"). `is_set`: the value is a parameter of a write or login, so a
/// value that looks like a label or template is a password.
[[nodiscard]] bool is_plain_value(Values values, std::string_view stem, std::string_view value, bool is_set = false);

/// Returns true for 16 or more characters without spaces that include two digits and two letters. Values of settings
/// ("min_password") never look like this.
[[nodiscard]] bool looks_random(std::string_view value);

/// Returns true for letters and digits, at least one of each, and the punctuation that IDs and tokens use.
[[nodiscard]] bool looks_like_id(std::string_view value);

}  // namespace tapedeck::scrubbers
