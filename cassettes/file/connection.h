#pragma once
// SQLite as this folder uses it: statements whose values are checked as they are read, errors that become ours.

#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cassettes/file/format.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tapedeck::cassettes {

/// What the format promises does not hold. Becomes CassetteError(damaged), with the path, where the path is known.
class Damage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Call it in a catch block: rethrows what was caught as a CassetteError that names the path. CassetteErrors and what
/// is no fault of the file pass as they are.
[[noreturn]] void rethrow_for(const std::string& path);

/// Settings for files of strangers: no trusted schema, no triggers, no views, lowered limits.
void harden(SQLite::Database& database);

/// Ends statements of one connection that run for too long; without an arm() they run freely.
class Deadline {
 public:
  explicit Deadline(SQLite::Database& database);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  void arm(std::chrono::milliseconds limit) { end_ = std::chrono::steady_clock::now() + limit; }

 private:
  static int expired(void* self);
  SQLite::Database& database_;
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::time_point::max();
};

/// Runs SQLite's quick_check within `limit`; afterwards the deadline is that of one statement. Throws Damage.
void quick_check(SQLite::Database& database, Deadline& deadline, std::chrono::milliseconds limit = long_statement);

/// One statement, prepared when it is used first: of a reader's thirty a command needs a few. Values are bound in the
/// order of the calls; blobs are not copied: they must stay until the statement was run or stepped to its end. Errors of
/// SQLite are thrown as SQLite::Exception.
class Query {
 public:
  Query(SQLite::Database& database, std::string sql);

  Query& integer(std::int64_t value);
  /// Bytes are not copied: they must live for as long as the query is stepped.
  Query& blob(std::string_view value);
  Query& text(std::string_view value);
  /// Binds TEXT if the value is well-formed UTF-8 without NUL, else BLOB.
  Query& any(std::string_view value);
  Query& null();
  /// NULL for nothing.
  Query& optional(std::optional<std::int64_t> value) { return value ? integer(*value) : null(); }

  /// Runs a statement without rows, and makes it ready for the next values.
  void run();
  /// Steps to the next row. After the last one the statement is ready for the next values.
  bool step();
  /// Gives up the rest of the rows.
  void reset();

  /// Throw Damage when the value has another type or lies outside.
  [[nodiscard]] std::int64_t number(int column, std::int64_t low, std::int64_t high) const;
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] std::uint32_t small(int column) const;  ///< 0 … 2^31 - 1
  [[nodiscard]] bool flag(int column) const;
  /// The bytes of a BLOB or TEXT, until the next step.
  [[nodiscard]] std::string_view bytes(int column) const;
  [[nodiscard]] std::string string(int column) const { return std::string(bytes(column)); }
  [[nodiscard]] bool is_null(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void check(int code) const;
  [[nodiscard]] sqlite3_stmt* prepared();

  sqlite3* database_;
  std::string sql_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

/// A statement that is ready for the next values at the end of the scope, whatever happens in it.
class Rows {
 public:
  explicit Rows(Query& query) : query_(query) {}
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

 private:
  Query& query_;
};

}  // namespace tapedeck::cassettes
