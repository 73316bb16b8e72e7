#pragma once
// Interactions and notes of a recording that is not finished, as they were committed.

#include <cstdint>

#include "cassettes/file/connection.h"
#include "cassettes/write/take_info.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// Appends rows to a recording that has none, through prepared statements; after one that failed, the next is tried
/// afresh.
class RecordedWriter {
 public:
  explicit RecordedWriter(SQLite::Database& database);
  /// Throws SQLite::Exception; then the interaction is not there. Rows of its parts may be, which nothing refers to.
  void append(std::uint64_t generation, const scrubbers::InteractionRecord& record);
  void append(const TakeEvent& note);

 private:
  void append_parts(const scrubbers::InteractionRecord& record);

  std::int64_t row_ = 0;  ///< of the last interaction that was tried
  Query interaction_, event_, redaction_, note_;
};

/// Reads one row by its number; values are checked (Damage). Of the key there is only the text and has_holes.
class RecordedReader {
 public:
  explicit RecordedReader(SQLite::Database& database);
  [[nodiscard]] scrubbers::InteractionRecord record(std::int64_t n);

 private:
  Query interaction_, events_, redactions_;
};

}  // namespace tapedeck::cassettes
