#pragma once
// The table `recorded`: interactions of unfinished takes, as they were committed.

#include <cstdint>

#include "cassettes/file/connection.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// Appends rows through one prepared statement.
class RecordedWriter {
 public:
  explicit RecordedWriter(SQLite::Database& database);
  void append(std::uint32_t take, std::uint64_t generation, const scrubbers::InteractionRecord& record);

 private:
  Query insert_;
};

/// Reads one row by its number; values are checked (Damage). Of the key there is only the text and has_holes.
class RecordedReader {
 public:
  explicit RecordedReader(SQLite::Database& database);
  [[nodiscard]] scrubbers::InteractionRecord record(std::int64_t n);

 private:
  Query select_;
};

}  // namespace tapedeck::cassettes
