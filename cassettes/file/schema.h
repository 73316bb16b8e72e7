#pragma once
// The two schemas as text: that of a cassette (docs/cassette-format.md) and that of a recording that is not finished.

#include <SQLiteCpp/SQLiteCpp.h>

namespace tapedeck::cassettes {

enum class Schema { cassette, recording };

/// Writes application id, format number, and tables into a database that is empty; of a cassette no index and no view.
void create_tables(SQLite::Database& database, Schema schema);
/// Creates the indexes and the view of a cassette. Indexes that are built when the rows are in come out dense.
void create_indexes(SQLite::Database& database);

/// Compares the schema of a file with the expected one, before any other statement. Throws Damage.
void check_schema(SQLite::Database& database, Schema schema);

}  // namespace tapedeck::cassettes
