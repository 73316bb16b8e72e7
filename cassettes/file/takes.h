#pragma once
// The table `take`.

#include <vector>

#include "cassettes/file/connection.h"
#include "cassettes/file/take_row.h"

namespace tapedeck::cassettes {

/// By number. Throws Damage when there are more than a million.
[[nodiscard]] std::vector<TakeRow> read_takes(SQLite::Database& database);
void insert_take(SQLite::Database& database, const TakeRow& take);

}  // namespace tapedeck::cassettes
