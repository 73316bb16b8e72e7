#pragma once
// Contains the schemas of a cassette (docs/cassette-format.md) and of an unfinished recording as text.

#include <SQLiteCpp/SQLiteCpp.h>

namespace tapedeck::cassettes {

enum class Schema { cassette, recording };

/// Writes application ID, format number, and tables into an empty database. Does not create indexes and views.
void create_tables(SQLite::Database& database, Schema schema);
/// Creates the indexes and the view of a cassette. Call it after the rows are written, because such indexes are dense.
void create_indexes(SQLite::Database& database);

/// Throws Damage unless the schema is the expected one. Call it before any other statement.
void check_schema(SQLite::Database& database, Schema schema);

}  // namespace tapedeck::cassettes
