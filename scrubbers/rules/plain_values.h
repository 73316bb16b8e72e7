#pragma once
// What stands behind a secret's name and is no secret: flags, masks, enumerations, labels (toolkit §5's "policies").

#include <span>
#include <string_view>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

/// One kind of value that stays, for `tapedeck rules`.
struct ValueException {
  std::string_view name;
  std::string_view reason;
};
[[nodiscard]] std::span<const ValueException> value_exceptions();

/// Returns true if `value` is none of the secrets that a name with such `values` has. `stem` is the folded ending of
/// the name: a label repeats it ("Enter your password"). `is_set`: it is the parameter of a write or a login, where
/// labels and templates have no place: what looks like one is a password.
[[nodiscard]] bool is_plain_value(Values values, std::string_view stem, std::string_view value, bool is_set = false);

/// 16 characters or more, of mixed kinds, and no word for people: what a setting's value ("min_password") never is.
[[nodiscard]] bool looks_random(std::string_view value);

}  // namespace tapedeck::scrubbers
