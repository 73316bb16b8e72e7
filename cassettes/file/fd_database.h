#pragma once
// SQLite on a file that is open already.

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>

#include "cassettes/file/files.h"
#include "cassettes/file/first_bytes.h"

namespace tapedeck::cassettes {

/// An open finished cassette, and its first page as it was then. A recorder that adds a take to the file changes this
/// page (WAL mode, the table `recorded`) and adds others; the pages that a reader needs stay as they are. With the
/// first page kept, a reader goes on, and can be cloned, as if nothing had happened. Of a file with tiny pages all is
/// kept, up to 1 MiB: checking and reading it page by page were a thousand system calls.
struct OpenCassette {
  Descriptor file;
  FirstBytes beginning;  ///< the first page at least
  /// False when a recorder has just begun: the first page says WAL.
  [[nodiscard]] bool finished() const;
};
/// Throws Damage when the first page is not there.
[[nodiscard]] std::shared_ptr<const OpenCassette> open_cassette(Descriptor file);

/// A connection to it, read-only and immutable: no lock, no journal or WAL is looked for, no name is resolved, and the
/// file may have lost its name. The cassette must outlive the connection.
[[nodiscard]] std::unique_ptr<SQLite::Database> open_immutable(const OpenCassette& cassette);

}  // namespace tapedeck::cassettes
