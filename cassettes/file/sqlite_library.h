#pragma once
// Configures the SQLite library of this program.

#include <string>

namespace tapedeck::cassettes {

/// Returns a version such as "3.40.1".
[[nodiscard]] std::string sqlite_version();

/// Gives SQLite huge pages for rows with large bodies (base/linux.h). Call it before any other use of SQLite;
/// later calls do nothing.
void use_huge_pages_in_sqlite();

}  // namespace tapedeck::cassettes
