#pragma once
// Writes and reads the interactions and notes of an unfinished recording.

#include <cstdint>

#include "cassettes/file/connection.h"
#include "cassettes/file/rows.h"
#include "cassettes/write/socket_place.h"
#include "cassettes/write/take_event.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// Appends rows to an empty recording through prepared statements. After a failure, the next row is tried normally.
class RecordedWriter {
 public:
  explicit RecordedWriter(SQLite::Database& database);
  /// Throws SQLite::Exception if the interaction was not stored. Rows of its parts may then remain, without references.
  void append(std::uint64_t generation, const scrubbers::InteractionRecord& record, const SocketPlace& place);
  void append(const TakeEvent& note);

 private:
  std::int64_t row_ = 0;  ///< number of the last interaction that append() tried
  Query interaction_, note_;
  DetailRows details_;
};

/// Reads one interaction by its number: its row, with all messages of a WebSocket. Checks values and throws Damage. The
/// key has only its text and has_holes.
class RecordedReader {
 public:
  explicit RecordedReader(SQLite::Database& database);
  [[nodiscard]] scrubbers::InteractionRecord record(std::int64_t n);

 private:
  [[nodiscard]] scrubbers::InteractionRecord row(std::int64_t n, std::int64_t& socket);
  void add_messages(scrubbers::InteractionRecord& opening, std::int64_t socket);

  Query interaction_, messages_;
  DetailRows details_;
};

}  // namespace tapedeck::cassettes
