#pragma once
// Which SQLite this program has.

#include <string>

namespace tapedeck::cassettes {

/// "3.40.1".
[[nodiscard]] std::string sqlite_version();

}  // namespace tapedeck::cassettes
