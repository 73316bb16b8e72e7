#pragma once
// The names that are looked for among a text's keys: those of a table, and all that end in a secret's word. Nearly
// every key of a body is none of them, and one look at its end says so of both.

#include <string_view>

#include "scrubbers/rules/name_endings.h"
#include "scrubbers/rules/name_table.h"

namespace tapedeck::scrubbers {

class KeyNames {
 public:
  /// Both must outlive it, and get no names later. `endings` may be null.
  KeyNames(const NameTable& table, const NameEndings* endings);

  /// False for most names that neither has.
  [[nodiscard, gnu::always_inline]] bool may_have(std::string_view name) const {
    if (name.size() >= TailFilter::length && base::is_letter(name.back())) return tails_.has(name);
    return table_->may_have(name) || (endings_ != nullptr && endings_->may_have(name));
  }

 private:
  const NameTable* table_;
  const NameEndings* endings_;
  TailFilter tails_;
};

}  // namespace tapedeck::scrubbers
