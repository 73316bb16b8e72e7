#pragma once
// Fills the tables of a finished cassette, each in the order of its primary key.

#include <array>
#include <cstdint>
#include <map>
#include <string_view>

#include "cassettes/file/connection.h"
#include "cassettes/finish/canonical_order.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// The rows of texts that have one already, by the first half of their SHA-256: constant space for each text.
using Interned = std::map<std::array<char, 16>, std::int64_t>;

class CanonicalTables {
 public:
  /// Requires that `database` has the tables of a cassette.
  explicit CanonicalTables(SQLite::Database& database);

  void add_scope(std::uint32_t id, std::string_view name);
  void add_scope_take(std::uint32_t scope, std::uint32_t take, std::uint32_t run, bool complete, std::uint32_t lanes);
  void add_session(std::uint32_t take, std::uint32_t scope, std::uint32_t number, std::uint32_t account,
                   const SessionSpan& span);
  void add_mark(std::uint32_t take, std::uint32_t number, std::int64_t at_us, std::string_view name);
  void add_key(const KeyRow& key);
  void add_sequence(const SequenceRow& sequence);

  /// Columns of an interaction's row that the record does not contain.
  struct Place {
    std::string_view name;
    std::int64_t key = 0;
    std::uint32_t position = 0, take = 0, ord = 0, lane = 0;
    std::optional<int> error_code;
  };
  void add(const Place& place, const scrubbers::InteractionRecord& record);

 private:
  [[nodiscard]] std::int64_t header_set(const http::Headers& headers);
  [[nodiscard]] std::int64_t body(std::string_view bytes);
  void add_events(const scrubbers::InteractionRecord& record);
  void add_redactions(const scrubbers::InteractionRecord& record);

  Query scope_, scope_take_, session_, mark_, key_, sequence_, entry_;
  Query headers_, body_, interaction_, event_, redaction_;
  Interned header_sets_, bodies_;
  std::int64_t keys_ = 0, sequences_ = 0, interactions_ = 0;
};

}  // namespace tapedeck::cassettes
