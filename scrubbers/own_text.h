#pragma once
// Scrubs texts that Tapedeck writes: log lines, error texts, messages.

#include <string>
#include <string_view>

#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/search/learned_secrets.h"

namespace tapedeck::scrubbers {

/// Returns `text` with placeholders for every learned value, and for every value after a parameter's name and `=`, as
/// in a URL. Values that are too short to be searched for are replaced only where they are whole words.
[[nodiscard]] std::string scrub_own_text(std::string_view text, const CompiledRules& rules,
                                         const LearnedSecrets& learned);

/// Returns a request's key (api::RequestKey) for a log line. A log line cannot be changed later, so each value and path
/// segment that may turn out to be a secret becomes `…`. Flags, short numbers, and names stay, except names with digits
/// like an ID.
[[nodiscard]] std::string guarded_key(std::string_view key);

/// Returns a scope's name with every learned value replaced by the byte 1, the class's word, and the byte 2.
[[nodiscard]] std::string scrub_scope_name(std::string_view name, const LearnedSecrets& learned);

}  // namespace tapedeck::scrubbers
