#include "scan/sqlite_rows.h"

#include <sqlite3.h>

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "scan/byte_tables.h"
#include "scan/heuristics.h"

namespace tapedeck::scan {

namespace {

struct Close {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, Close>;
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

std::string uri_of(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const bool plain = base::is_alnum(c) || c == '/' || c == '.' || c == '_' || c == '-';
    if (plain) {
      uri += c;
    } else {
      uri += '%';
      base::append_hex(uri, c, true);
    }
  }
  return uri + "?mode=ro&immutable=1";
}

/// Limits the work that a hostile file can cause. SQLite calls it every few thousand steps.
struct WorkLimit {
  static constexpr int steps = 4096;
  std::uint64_t left = 0;
  static int tick(void* self) {
    auto& limit = *static_cast<WorkLimit*>(self);
    if (limit.left < steps) return 1;
    limit.left -= steps;
    return 0;
  }
};

Database open(const std::filesystem::path& path, WorkLimit& work) {
  sqlite3* raw = nullptr;
  const int status =
      sqlite3_open_v2(uri_of(path).c_str(), &raw,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database db(raw);
  if (status != SQLITE_OK) return nullptr;
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, 256 << 20);
  sqlite3_limit(raw, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_limit(raw, SQLITE_LIMIT_EXPR_DEPTH, 100);
  sqlite3_limit(raw, SQLITE_LIMIT_COMPOUND_SELECT, 2);
  sqlite3_limit(raw, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(raw, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_progress_handler(raw, WorkLimit::steps, WorkLimit::tick, &work);
  for (const char* pragma : {"PRAGMA cell_size_check=ON", "PRAGMA mmap_size=0", "PRAGMA query_only=ON"})
    sqlite3_exec(raw, pragma, nullptr, nullptr, nullptr);
  return db;
}

Statement prepare(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(db, sql.c_str(), static_cast<int>(sql.size()), &raw, nullptr) != SQLITE_OK) raw = nullptr;
  return Statement(raw);
}

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    text += c;
    if (c == '"') text += c;
  }
  return text + '"';
}

/// Returns the name of a table or column for display, withheld if it contains a secret.
std::string shown(std::string_view name, ViewScanner& scanner) {
  constexpr std::size_t longest = 64;
  return name.size() > longest || scanner.would_find(name) ? "<withheld>" : std::string(name);
}

std::string_view column_bytes(sqlite3_stmt* row, int column) {
  const void* bytes = sqlite3_column_type(row, column) == SQLITE_BLOB ? sqlite3_column_blob(row, column)
                                                                      : sqlite3_column_text(row, column);
  const int size = sqlite3_column_bytes(row, column);
  return bytes == nullptr ? std::string_view()
                          : std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

bool is_cassette(sqlite3* db) {
  constexpr int cassette_id = 0x5470646b;  // "Tpdk"
  const Statement row = prepare(db, "PRAGMA application_id");
  return row != nullptr && sqlite3_step(row.get()) == SQLITE_ROW && sqlite3_column_int(row.get(), 0) == cassette_id;
}

/// Adds the fingerprints of reviewed findings, which cassettes store in rows of `meta` (docs/cassette-format.md).
void add_allowed(sqlite3* db, Findings& findings) {
  constexpr std::string_view prefix = "allowed:";
  if (!is_cassette(db)) return;
  const Statement rows = prepare(db, "SELECT name FROM main.meta WHERE name GLOB 'allowed:*' LIMIT 10000");
  while (rows != nullptr && sqlite3_step(rows.get()) == SQLITE_ROW) {
    const std::string_view name = column_bytes(rows.get(), 0);
    if (name.starts_with(prefix) && is_fingerprint(name.substr(prefix.size()))) {
      findings.allow_in_file(name.substr(prefix.size()));
    }
  }
}

/// Notes whether each take was finished and verified (docs/cassette-format.md).
void note_state(sqlite3* db, const std::filesystem::path& path, Findings& findings) {
  if (!is_cassette(db)) return;
  const auto any = [db](const char* column) {
    const Statement row = prepare(db, std::string("SELECT 1 FROM main.take WHERE ") + column + " = 0 LIMIT 1");
    return row != nullptr && sqlite3_step(row.get()) == SQLITE_ROW;
  };
  if (any("finished")) {
    findings.unsettled("is an unfinished recording and may still contain secrets");
  } else if (any("verified")) {
    findings.unsettled("is unverified and may still contain secrets");
  } else {
    findings.settled(path);
  }
}

class TableScan {
 public:
  /// `contents`: only text and blob values are scanned, and column names have no meaning.
  TableScan(sqlite3* db, std::string_view table, bool contents, ViewScanner& scanner, Findings& findings,
            ScannedValues& scanned)
      : db_(db),
        table_(table),
        contents_(contents),
        shown_table_(contents ? std::string(table) : shown(table, scanner)),
        scanner_(scanner),
        findings_(findings),
        scanned_(scanned) {}

  [[nodiscard]] std::string scan(const std::function<void(std::uint64_t bytes)>& progress) {
    // Tables WITHOUT ROWID have no such column, so their rows are counted.
    Statement rows = prepare(db_, "SELECT rowid, * FROM main." + quoted(table_) + " NOT INDEXED");
    first_ = rows == nullptr ? 0 : 1;
    if (rows == nullptr) rows = prepare(db_, "SELECT * FROM main." + quoted(table_) + " NOT INDEXED");
    if (rows == nullptr) return "a table cannot be read";
    for (int i = first_; i < sqlite3_column_count(rows.get()); ++i) {
      const char* name = sqlite3_column_name(rows.get(), i);
      names_.emplace_back(name == nullptr ? "" : name);
      tells_.push_back(!contents_ && tells(names_.back()));
      shown_names_.push_back(contents_ ? names_.back() : shown(names_.back(), scanner_));
    }
    int status = SQLITE_ROW;
    for (std::int64_t ordinal = 1; (status = sqlite3_step(rows.get())) == SQLITE_ROW; ++ordinal)
      progress(scan_row(rows.get(), first_ == 0 ? ordinal : sqlite3_column_int64(rows.get(), 0)));
    if (status == SQLITE_DONE) return {};
    return status == SQLITE_INTERRUPT ? "reading the rows of a table took too much work" : "a table is damaged";
  }

 private:
  std::uint64_t scan_row(sqlite3_stmt* row, std::int64_t rowid) {
    std::uint64_t bytes = 0;
    std::string_view before;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const int column = first_ + static_cast<int>(i);
      const int type = sqlite3_column_type(row, column);
      if (type != SQLITE_TEXT && type != SQLITE_BLOB && (type != SQLITE_INTEGER || contents_)) continue;
      if (type == SQLITE_INTEGER && !tells_[i] && !tells(before) && is_short(sqlite3_column_int64(row, column)))
        continue;
      const std::string_view value = column_bytes(row, column);
      bytes += value.size();
      findings_.at({Place::Kind::row, rowid, shown_table_, shown_names_[i]});
      // The row numbers of a table are not IDs of clients. A cookie `id=5` does not occur in the fifth row of each
      // table.
      const bool is_row_number =
          names_[i] == "id" && type == SQLITE_INTEGER && first_ == 1 && sqlite3_column_int64(row, column) == rowid;
      if (tells_[i] && !is_row_number) scanner_.check_named(names_[i], value);
      if (!before.empty()) scanner_.check_named(before, value);
      if (type != SQLITE_INTEGER || !is_short(sqlite3_column_int64(row, column)))
        scanner_.scan_item(value, ViewScanner::Shape::whole);
      if (type != SQLITE_INTEGER && !contents_) scanned_.insert(quick_hash(value));
      constexpr std::size_t longest_before = 48;
      if (type == SQLITE_TEXT && !contents_) before = value.size() <= longest_before ? value : std::string_view();
    }
    return bytes;
  }

  /// Returns true if a value in a column of this name is checked as a named value.
  [[nodiscard]] static bool tells(std::string_view name) { return name == "id" || !telling_rule(name).empty(); }
  /// Returns true for numbers that are too short to be searched for everywhere.
  [[nodiscard]] static bool is_short(std::int64_t number) {
    static_assert(LearnedValues::min_anywhere == 8);
    return number > -1'000'000 && number < 10'000'000;
  }

  sqlite3* db_;
  std::string_view table_;
  bool contents_;
  std::string shown_table_;
  ViewScanner& scanner_;
  Findings& findings_;
  ScannedValues& scanned_;
  int first_ = 0;
  std::vector<std::string> names_;
  std::vector<bool> tells_;
  std::vector<std::string> shown_names_;
};

}  // namespace

std::string scan_rows(const std::filesystem::path& path, std::uint64_t size, ViewScanner& scanner, Findings& findings,
                      const ScanOptions& options, ScannedValues& scanned,
                      const std::function<void(std::uint64_t bytes)>& progress) {
  // A row of one byte takes a few bytes in the file and a few dozen steps, so twenty steps per byte are enough for any
  // file.
  constexpr std::uint64_t steps_per_byte = 20;
  WorkLimit work{10'000'000 + steps_per_byte * size};
  const Database db = open(path, work);
  if (db == nullptr) return "it cannot be opened as a database";
  if (options.file_allows) add_allowed(db.get(), findings);
  note_state(db.get(), path, findings);
  std::vector<std::string> tables;
  if (!options.just_written) tables.emplace_back("sqlite_schema");
  {
    const Statement names = prepare(db.get(),
                                    "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0 "
                                    "AND sql NOT LIKE 'create virtual%' OR name = 'sqlite_sequence'");
    if (names == nullptr) return "its schema cannot be read";
    int status = SQLITE_ROW;
    while ((status = sqlite3_step(names.get())) == SQLITE_ROW) tables.emplace_back(column_bytes(names.get(), 0));
    if (status != SQLITE_DONE) return "its schema is damaged";
  }
  std::string problem;
  for (const std::string& table : tables) {
    const std::string why = TableScan(db.get(), table, options.just_written, scanner, findings, scanned).scan(progress);
    if (!why.empty()) problem = why;
  }
  return problem;
}

}  // namespace tapedeck::scan
