#pragma once
// SQLite as a library of the process: which one it is, and how it is set up.

#include <string>

namespace tapedeck::cassettes {

/// "3.40.1".
[[nodiscard]] std::string sqlite_version();

/// SQLite counts the memory that it takes, under a lock of the whole process, and nobody asks. Call it before there is
/// a database.
void count_no_memory() noexcept;

}  // namespace tapedeck::cassettes
