#pragma once
// Opens SQLite databases by descriptor. SQLite's own file layer opens files by name, so it cannot read a file that was
// renamed or removed. This one reads the descriptor and checks the checksum of each page.

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>

#include "cassettes/file/files.h"

namespace tapedeck::cassettes {

/// Opens a read-only, immutable connection, which takes no lock, looks for no journal, and resolves no name. The
/// descriptor must stay open as long as the connection. Throws SQLite::Exception.
[[nodiscard]] std::unique_ptr<SQLite::Database> open_immutable(const Descriptor& file);

}  // namespace tapedeck::cassettes
