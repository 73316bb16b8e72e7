#pragma once
// Properties of the SQLite library of this program.

#include <string>

namespace tapedeck::cassettes {

/// "3.40.1".
[[nodiscard]] std::string sqlite_version();

}  // namespace tapedeck::cassettes
