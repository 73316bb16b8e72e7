#pragma once
// The tables `recorded` and `recorded_event`: unfinished takes, as they were committed.

#include <cstdint>

#include "cassettes/file/connection.h"
#include "cassettes/write/take_info.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// Appends rows through prepared statements; after one that failed, the next is tried afresh.
class RecordedWriter {
 public:
  explicit RecordedWriter(SQLite::Database& database);
  void append(std::uint32_t take, std::uint64_t generation, const scrubbers::InteractionRecord& record);
  void tell(std::uint32_t take, const TakeEvent& event);

 private:
  void write_into(const char* column, std::int64_t row, std::string_view bytes);

  SQLite::Database& database_;
  Query insert_, event_, remove_;
};

/// Reads one row by its number; values are checked (Damage). Of the key there is only the text and has_holes.
class RecordedReader {
 public:
  explicit RecordedReader(SQLite::Database& database);
  /// The answer's body is left empty where it is not asked for.
  [[nodiscard]] scrubbers::InteractionRecord record(std::int64_t n, bool with_answer_body = true);

 private:
  Query select_;
};

}  // namespace tapedeck::cassettes
