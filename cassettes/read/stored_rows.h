#pragma once
// The tables of a finished cassette, read and checked row by row. Everything that goes wrong is Damage.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cassettes/file/body_codec.h"
#include "cassettes/file/connection.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// One header set, as text and taken apart.
struct StoredHeaders {
  http::Headers headers;
  std::uint64_t text_size = 0;
};

/// Where a body's bytes stand: a request's in a row of `body`, an answer's in one of `interaction`.
struct BodyPlace {
  enum class Table { body, interaction };
  Table table = Table::body;
  std::int64_t row = 0;
};

/// What an answer tells, as it stands in a column: nothing for what is no envelope.
[[nodiscard]] std::optional<int> error_code_in(const Query& row, int column);

class StoredRows {
 public:
  /// `other` is another connection to the same cassette, whose dictionary serves this one, too.
  explicit StoredRows(SQLite::Database& database, const StoredRows* other = nullptr);

  /// Of the key there is only the text and has_holes. Its bodies are compared with their SHA-256: one that was changed
  /// by other means is Damage, which names the interaction.
  [[nodiscard]] scrubbers::InteractionRecord record(std::int64_t interaction);
  /// Row 0 is an empty body. Not compared with its SHA-256: replay has no time for that.
  [[nodiscard]] std::string body(const BodyPlace& place) { return read_body(place, false); }
  /// A body whose encoding, size and bytes stand in three columns of a row, from `column` on.
  [[nodiscard]] std::string body_in(const Query& row, int column);
  /// Lives until the next call for another id.
  [[nodiscard]] const std::string& word(std::int64_t id);
  [[nodiscard]] std::shared_ptr<const StoredHeaders> headers(std::int64_t id);
  /// Rows of the parts from `first_part` on, in order.
  [[nodiscard]] std::vector<scrubbers::Redaction> redactions(std::int64_t interaction, scrubbers::Part first_part);

 private:
  [[nodiscard]] std::string read_body(const BodyPlace& place, bool compare);
  [[nodiscard]] std::string own_body(const Query& row, const BodyPlace& place);
  [[nodiscard]] http::Request request_of(const Query& row);
  [[nodiscard]] http::Response response_of(const Query& row);

  Query interaction_, request_body_, answer_body_, word_, headers_, redactions_;
  BodyUnpacker unpacker_;
  std::unordered_map<std::int64_t, std::string> words_;
  std::unordered_map<std::int64_t, std::shared_ptr<const StoredHeaders>> header_sets_;
};

}  // namespace tapedeck::cassettes
