#pragma once
// Reads the table `take`.

#include <vector>

#include "cassettes/file/connection.h"
#include "cassettes/file/take_row.h"

namespace tapedeck::cassettes {

/// Returns the takes by number. Throws Damage if there are more than a million.
[[nodiscard]] std::vector<TakeRow> read_takes(SQLite::Database& database);
void insert_take(SQLite::Database& database, const TakeRow& take);

}  // namespace tapedeck::cassettes
