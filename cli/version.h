#pragma once
// What `tapedeck --version` prints.

#include <string>

namespace tapedeck::cli {

/// The program's version, and in further lines those of the libraries that it has: linked at the start, or carried
/// along.
[[nodiscard]] std::string version_text();

}  // namespace tapedeck::cli
