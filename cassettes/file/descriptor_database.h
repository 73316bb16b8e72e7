#pragma once
// SQLite on a finished cassette that is open already. SQLite's own file layer opens by name, so a file that was renamed
// or removed since is out of its reach; this one reads the descriptor and checks the checksum of each page.

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>

#include "cassettes/file/files.h"

namespace tapedeck::cassettes {

/// Opens a connection that is read-only and immutable: it takes no lock, looks for no journal, and resolves no name. The
/// descriptor must stay open for as long as the connection. Throws SQLite::Exception.
[[nodiscard]] std::unique_ptr<SQLite::Database> open_immutable(const Descriptor& file);

}  // namespace tapedeck::cassettes
