#pragma once
// Formats the output of `tapedeck --version`.

#include <string>

namespace tapedeck::cli {

/// Returns the program's version, and on further lines the versions of its libraries.
[[nodiscard]] std::string version_text();

}  // namespace tapedeck::cli
