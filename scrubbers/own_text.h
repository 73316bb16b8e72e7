#pragma once
// Texts that Tapedeck itself writes: log lines, error texts, messages.

#include <string>
#include <string_view>

#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/search/learned_secrets.h"

namespace tapedeck::scrubbers {

/// `text` with placeholders for every learned value in it, and for what follows a parameter's name and `=` as in a URL,
/// learned or not. Values that are too short to be searched for are replaced where they are whole words.
[[nodiscard]] std::string scrub_own_text(std::string_view text, const CompiledRules& rules,
                                         const LearnedSecrets& learned);

/// A request's key (api::RequestKey) for a log, which nobody can take back: with `…` in the place of each value, and
/// each segment of a path, that could turn out to be a secret when more is known. Flags, short numbers, and names stay,
/// but for names with the digits of an id.
[[nodiscard]] std::string guarded_key(std::string_view key);

/// A scope's name with every learned value in it replaced: the byte 1, the class's word, the byte 2.
[[nodiscard]] std::string scrub_scope_name(std::string_view name, const LearnedSecrets& learned);

}  // namespace tapedeck::scrubbers
