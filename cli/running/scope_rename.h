#pragma once
// Renames scopes in a cassette, for `tapedeck edit --rename`.

#include <string>

namespace tapedeck::cli {

/// Renames a scope, and prints the faults on standard error. `change` is OLD=NEW; if both end in `*`, all scopes that
/// begin with OLD get NEW as their beginning. Returns the exit status. Throws UsageError.
[[nodiscard]] int rename_scopes(const std::string& cassette, const std::string& change);

}  // namespace tapedeck::cli
