#pragma once
// Sets up the SQLite library of the process.

#include <string>

namespace tapedeck::cassettes {

/// "3.40.1".
[[nodiscard]] std::string sqlite_version();

/// Turns off SQLite's memory statistics, which take a global lock and are not used. Call it before opening a database.
void count_no_memory() noexcept;

}  // namespace tapedeck::cassettes
