#pragma once
// SQLite on a file that is open already.

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>

#include "cassettes/files.h"

namespace tapedeck::cassettes {

/// A connection to an open finished cassette, read-only and immutable: no lock, no journal or WAL is looked for, no
/// name is resolved, and the file may have lost its name. The descriptor must outlive the connection.
[[nodiscard]] std::unique_ptr<SQLite::Database> open_immutable(const Descriptor& file);

}  // namespace tapedeck::cassettes
