#pragma once
// Defines the state of a CassetteReader.

#include <memory>
#include <string>

#include "cassettes/file/connection.h"
#include "cassettes/file/descriptor_database.h"
#include "cassettes/file/format.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/stored_rows.h"

namespace tapedeck::cassettes {

/// The statements of CassetteReader.
struct ReaderQueries {
  explicit ReaderQueries(SQLite::Database& database);
  Query sequences, answer, segments, turns;
  Query has_api, keys_of, scoped_keys, scopes_of_key, interaction_by_name, line;
  Query scope_takes, scope_id, sessions;
};

struct CassetteReader::Impl {
  /// Opens a finished file. Throws Damage or SQLite's exceptions. `other` is an earlier connection to the file, whose
  /// checks are not repeated.
  Impl(std::string path, OpenCassette file, const Impl* other = nullptr);

  void load_info();
  [[nodiscard]] std::vector<Operation> load_operations();
  [[nodiscard]] std::vector<SequenceInfo> sequences_of(std::string_view key_text, std::string_view scope,
                                                       SequenceKind kind);
  [[nodiscard]] std::string origin(std::uint32_t take, std::string_view scope) const;
  [[nodiscard]] std::string device_of(std::uint32_t take) const;
  [[nodiscard]] PlayedAnswer answer_at(std::int64_t sequence, std::uint32_t position);
  /// Returns the row of a scope's name; 0 for the empty name, nothing for an unknown one.
  [[nodiscard]] std::optional<std::int64_t> scope_row(std::string_view name);
  /// Returns the interaction of a row with the columns of `queries.line`.
  [[nodiscard]] static ListedInteraction line_at(const Query& row);
  /// Visits all interactions in the order of `list`; `visit` returns false to stop.
  void each_line(const std::function<bool(const ListedInteraction&)>& visit);
  /// Returns everything about one interaction.
  [[nodiscard]] FullInteraction full(ListedInteraction line);
  [[nodiscard]] FullInteraction full(std::int64_t interaction);
  /// Runs a method's body with a deadline and converts its errors.
  template <class F>
  auto guarded(std::chrono::milliseconds limit, F&& body) {
    try {
      deadline.arm(limit);
      return body();
    } catch (...) {
      rethrow_for(path);
    }
  }

  // The members are in order of dependence, because they are destroyed in reverse order.
  std::string path;
  OpenCassette file;
  std::unique_ptr<SQLite::Database> database;
  Deadline deadline;
  ReaderQueries queries;
  StoredRows rows;
  CassetteInfo info;
};

/// Access for files of this folder that need more than the public interface of a reader.
struct ReaderAccess {
  using State = CassetteReader::Impl;
  /// Returns a reader for an open file.
  [[nodiscard]] static CassetteReader reader(const std::string& path, OpenCassette file);
  [[nodiscard]] static State& state(const CassetteReader& reader) { return *reader.impl_; }
};
using ReaderState = ReaderAccess::State;

}  // namespace tapedeck::cassettes
