#pragma once
// What a CassetteReader holds, and how it comes to be.

#include <memory>
#include <string>

#include "cassettes/file/connection.h"
#include "cassettes/file/fd_database.h"
#include "cassettes/file/interaction_id.h"
#include "cassettes/file/schema.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/stored_rows.h"

namespace tapedeck::cassettes {

inline constexpr std::chrono::milliseconds one_statement{2000};
inline constexpr std::chrono::milliseconds long_statement{60000};

/// Larger files are not checked whole before they are used: that would take seconds.
inline constexpr std::uint64_t checked_up_front = std::uint64_t{64} << 20;

/// The statements of CassetteReader, prepared once.
struct ReaderQueries {
  explicit ReaderQueries(SQLite::Database& database);
  Query head, row, segments, asides, aside, aside_segments, operations_of_api, keys_of_operation, operations;
  Query interaction_by_digest, line, scope_takes, scope_id, scopes_of_key;
  Query sessions, scoped_keys, turns, aside_turns;
};

struct CassetteReader::Impl {
  /// On an open finished file; throws Damage or SQLite's exceptions. `other` is an earlier connection to it: what that
  /// one found holds for this one.
  Impl(std::string path, std::shared_ptr<const OpenCassette> file, const Impl* other = nullptr);

  void load_info();
  /// A sequence as its first row tells of it.
  struct Head {
    SequenceInfo info;
    std::uint32_t sequences = 0;  ///< of the key that begins with it; 0: it is not its key's first one
    bool has_parts = false;       ///< KeyLookup::has_parts of that key
  };
  /// `row` has the columns of `queries.head` in front, and is the row with that number.
  [[nodiscard]] static Head head_in(const Query& row, std::int64_t id);
  /// All sequences of the key that begins with that one, by take and lane.
  [[nodiscard]] std::vector<SequenceInfo> sequences_from(const Head& first);
  /// Without an answer.
  [[nodiscard]] KeyLookup sequences_of(const KeyHash& hash);
  /// What replay needs of a row of `queries.row`, the one with that number, at `position` of its sequence.
  [[nodiscard]] PlayedAnswer answer_in(const Query& row, std::int64_t id, std::uint32_t position);
  /// The same without a look at its place in its sequence.
  [[nodiscard]] PlayedAnswer answer_in(const Query& row, std::int64_t id);
  /// Of the row of `aside` with that number.
  [[nodiscard]] PlayedAnswer answer_aside(std::int64_t aside);
  /// The row of a scope's name; 0 for the empty name, nothing for one that is not there.
  [[nodiscard]] std::optional<std::int64_t> scope_row(std::string_view name);
  /// Every sequence by scope, key text, take and lane; `visit` returns false to stop.
  struct KeyName {
    std::string scope, text;
  };
  void each_sequence(const std::function<bool(const KeyName& key, const SequenceInfo&)>& visit);
  /// The interaction of a row of `lines_between`.
  [[nodiscard]] ListedInteraction line_at(const Query& row);
  /// Everything of one row of `interaction`.
  [[nodiscard]] FullInteraction full(std::int64_t interaction);
  /// Runs a method's body with a deadline, its errors made ours.
  template <class F>
  auto guarded(std::chrono::milliseconds limit, F&& body) {
    try {
      deadline.arm(limit);
      return body();
    } catch (...) {
      rethrow_for(path);
    }
  }

  // Each is used by those below it, so they go in the opposite order.
  std::string path;
  std::shared_ptr<const OpenCassette> file;
  std::unique_ptr<SQLite::Database> database;
  Deadline deadline;
  ReaderQueries queries;
  StoredRows rows;
  CassetteInfo info;
};

/// For those parts of this folder that look at more than a reader shows.
struct ReaderAccess {
  using State = CassetteReader::Impl;
  /// On a file that is open already.
  [[nodiscard]] static CassetteReader reader(const std::string& path, std::shared_ptr<const OpenCassette> file);
  [[nodiscard]] static State& state(const CassetteReader& reader) { return *reader.impl_; }
};
using ReaderState = ReaderAccess::State;

/// Opens a cassette in whatever state it is: a finished one as it is, another one as a private canonical copy.
[[nodiscard]] std::shared_ptr<const OpenCassette> open_finished(const std::string& path);

/// quick_check within `limit`, whatever the deadline was before; afterwards it is that of one statement. Throws Damage.
void quick_check(SQLite::Database& database, Deadline& deadline, std::chrono::milliseconds limit = long_statement);

}  // namespace tapedeck::cassettes
