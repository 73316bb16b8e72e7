#pragma once
// The tables of a finished cassette, read and checked row by row. Everything that goes wrong is Damage.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cassettes/body_codec.h"
#include "cassettes/connection.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// One header set, as text and taken apart.
struct StoredHeaders {
  http::Headers headers;
  std::uint64_t text_size = 0;
};

class StoredRows {
 public:
  explicit StoredRows(SQLite::Database& database);

  /// Of the key there is only the text and has_holes.
  [[nodiscard]] scrubbers::InteractionRecord record(std::int64_t interaction);
  [[nodiscard]] std::string body(std::int64_t id);
  /// A body whose encoding, size and bytes stand in three columns of a row, from `column` on.
  [[nodiscard]] std::string body_in(const Query& row, int column);
  /// The size that body() will have.
  [[nodiscard]] std::uint64_t body_size(std::int64_t id);
  /// Both live until the next call for another id.
  [[nodiscard]] const std::string& word(std::int64_t id);
  [[nodiscard]] const StoredHeaders& headers(std::int64_t id);
  /// Rows of the parts from `first_part` on, in order.
  [[nodiscard]] std::vector<scrubbers::Redaction> redactions(std::int64_t interaction, scrubbers::Part first_part);

 private:
  [[nodiscard]] http::Request request_of(const Query& row);
  [[nodiscard]] http::Response response_of(const Query& row);

  Query interaction_, body_, body_size_, word_, headers_, redactions_;
  BodyUnpacker unpacker_;
  std::unordered_map<std::int64_t, std::string> words_;
  std::unordered_map<std::int64_t, StoredHeaders> header_sets_;
};

}  // namespace tapedeck::cassettes
