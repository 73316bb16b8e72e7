#pragma once
// Describes the SQLite library of this program.

#include <string>

namespace tapedeck::cassettes {

/// Returns a version such as "3.40.1".
[[nodiscard]] std::string sqlite_version();

}  // namespace tapedeck::cassettes
