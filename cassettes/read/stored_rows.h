#pragma once
// Reads and checks the tables of a cassette row by row. All errors are Damage.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cassettes/file/connection.h"
#include "cassettes/file/rows.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// One set of headers, as text and parsed.
struct StoredHeaders {
  http::Headers headers;
  std::uint64_t text_size = 0;
};

/// Returns the envelope's error code from a column: 0 for success, nothing if the response has no envelope.
[[nodiscard]] std::optional<int> error_code_in(const Query& row, int column);
/// Returns the body whose size, SHA-256, and bytes are in three columns from `column` on, or an empty one if they are
/// NULL. It is valid until the next step. Throws Damage if its hash is wrong.
[[nodiscard]] std::string_view body_in(const Query& row, int column);

class StoredRows {
 public:
  explicit StoredRows(SQLite::Database& database);

  /// Returns an interaction. Its key has only its text and has_holes.
  [[nodiscard]] scrubbers::InteractionRecord record(std::int64_t interaction);
  [[nodiscard]] std::shared_ptr<const StoredHeaders> headers(std::int64_t id);
  [[nodiscard]] DetailRows& details() { return details_; }

 private:
  [[nodiscard]] std::string body(std::int64_t id, const Query& row, const char* whose);

  Query interaction_, body_, headers_;
  DetailRows details_;
  std::unordered_map<std::int64_t, std::shared_ptr<const StoredHeaders>> header_sets_;
};

}  // namespace tapedeck::cassettes
