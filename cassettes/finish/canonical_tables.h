#pragma once
// Fills the tables of a finished cassette. Rows get their numbers in the order of the calls.

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cassettes/file/connection.h"
#include "cassettes/file/interaction_id.h"
#include "cassettes/finish/lanes.h"
#include "cassettes/finish/packing_line.h"
#include "cassettes/finish/survey.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// Texts that have a row already, by 128 bits of their SHA-256: constant room for each, whatever its length.
class Interned {
 public:
  struct Slot {
    std::int64_t id;
    bool is_new;
  };
  /// A new one gets the number `id`.
  [[nodiscard]] Slot find(std::string_view sha256, std::int64_t id);
  /// Numbers new ones from 1.
  [[nodiscard]] Slot find(std::string_view sha256) { return find(sha256, static_cast<std::int64_t>(ids_.size()) + 1); }
  [[nodiscard]] bool has(std::string_view sha256) const { return ids_.contains(digest_of(sha256)); }

 private:
  struct Digest {
    std::uint64_t high, low;
    bool operator==(const Digest&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Digest& digest) const { return digest.high; }
  };
  static Digest digest_of(std::string_view sha256);
  std::unordered_map<Digest, std::int64_t, Hash> ids_;
};

/// What the first row of a sequence says of it.
struct SequenceHead {
  std::uint32_t count = 0, passed_over = 0, hidden = 0;
  bool succeeded = false, many_sessions = false;
};

/// What an interaction's row says beside the record itself.
struct Place {
  std::int64_t id = 0;
  std::int64_t number = 0;
  std::int64_t key = 0;                  ///< row of `key`
  const KeyHash* key_begins = nullptr;   ///< of a key's first row
  std::uint32_t sequences = 0;           ///< of that key; 0 on its other rows
  bool has_parts = false;                ///< of that key: parts of compounds are answers to it as well
  const SequenceHead* begins = nullptr;  ///< of a sequence's first row
  std::uint32_t position = 0;
  std::uint32_t take = 0, ord = 0;
  std::string_view digest;  ///< the id for people
  Step step;
};

/// What a row of `aside` says.
struct AsidePlace {
  const KeyHash* key = nullptr;
  std::uint32_t take = 0, ord = 0, lane = 0, session = 0;
  std::int64_t interaction = 0;
  bool succeeded = false;
  Aside aside;
};

class CanonicalTables {
 public:
  /// `database` has the schema; the dictionary may be empty. `threads` changes nothing of what is written.
  CanonicalTables(SQLite::Database& database, Packing packing, std::string_view dictionary, unsigned threads);

  /// Keys come in the order of their texts, and get numbers from 1.
  void add_key(std::uint32_t scope, std::string_view text, bool has_holes);
  /// In the order of their ids. Rows wait for their bodies, so that some may be written later, and the last ones by
  /// write_waiting(); what `place` points to must stay, but for what begins a sequence.
  /// `known` says of the answer's body what need not be found out, or is null; the body itself may be missing where
  /// has_answer().
  void add(const Place& place, scrubbers::InteractionRecord record, const KnownBody* known);
  [[nodiscard]] bool has_answer(std::string_view sha256) const { return answer_bodies_.has(sha256); }
  void write_waiting();
  /// One sequence: all of one key, take and lane. Sequences come in the order of their keys' hashes.
  void add_asides(std::span<const AsidePlace> sequence);
  /// In the order of their names.
  void add_scope(std::uint32_t id, std::string_view name);
  void add_scope_take(std::uint32_t scope, std::uint32_t take, std::uint32_t run, bool complete, std::uint32_t lanes);
  void add_session(std::uint32_t take, std::uint32_t scope, std::uint32_t number, std::uint32_t account,
                   const SessionSpan& span);
  void add_mark(std::uint32_t take, std::uint32_t number, std::int64_t at_us, std::string_view name);

 private:
  /// A body of a row that waits.
  struct Content {
    std::string digest;  ///< SHA-256; empty of no body
    std::size_t size = 0;
    Interned::Slot holder;  ///< the row that has it; of a new one the line has the body
  };
  struct Waiting {
    Place place;
    std::optional<SequenceHead> begins;
    scrubbers::InteractionRecord record;
    Content request, answer;
  };
  [[nodiscard]] Content content_of(std::string_view body, std::string digest, Interned& known,
                                   std::optional<std::int64_t> row);
  void write_first();
  void write(const Waiting& row);
  [[nodiscard]] std::int64_t word(std::string_view text);
  [[nodiscard]] std::int64_t header_set(const http::Headers& headers);
  [[nodiscard]] std::int64_t request_body(std::string_view bytes, const Content& content);
  /// Size, encoding, SHA-256 and packed bytes, as they stand in `body` and in `interaction`.
  void write_body(Query& row, std::string_view bytes, std::string_view digest);
  [[nodiscard]] std::int64_t operation(std::string_view key_text);
  [[nodiscard]] std::int64_t request(const Waiting& row);
  void bind_address(const Waiting& row);
  void add_redactions(std::int64_t interaction, const scrubbers::InteractionRecord& record);

  Query scope_, scope_take_, session_, mark_;
  Query word_, header_set_, body_, operation_, key_, request_, interaction_, pace_, redaction_, aside_;
  std::unordered_map<std::string, std::int64_t> words_;
  Interned header_sets_, request_bodies_, operations_, requests_;
  Interned answer_bodies_;  ///< by the interaction that holds them
  std::int64_t keys_ = 0, asides_ = 0;
  std::deque<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  PackingLine line_;  ///< goes before what waits for it
};

}  // namespace tapedeck::cassettes
