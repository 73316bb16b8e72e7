#pragma once
// The SQLite library of this program.

#include <string>

namespace tapedeck::cassettes {

/// "3.40.1".
[[nodiscard]] std::string sqlite_version();

/// Gives SQLite huge pages for rows with large bodies (base/linux.h). Call it before any other use of SQLite;
/// later calls do nothing.
void use_huge_pages_in_sqlite();

}  // namespace tapedeck::cassettes
