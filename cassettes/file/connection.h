#pragma once
// Wraps SQLite for this folder: values are checked when they are read, and errors become CassetteErrors.

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

/// Thrown if a file violates the format. Becomes CassetteError(damaged) where the path is known.
class Damage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Rethrows the exception that is being handled as a CassetteError that names the path. Rethrows CassetteErrors, and
/// exceptions that are not about the file, unchanged. Call it in a catch block.
[[noreturn]] void rethrow_for(const std::string& path);

/// Makes a connection safe for untrusted files: disables trusted schema, triggers, and views, and lowers limits.
void harden(SQLite::Database& database);

/// Ends statements of a connection that run too long. Without arm(), there is no limit.
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

/// Runs SQLite's quick_check within `limit`, then sets the deadline for one statement. Throws Damage.
void quick_check(SQLite::Database& database, Deadline& deadline, std::chrono::milliseconds limit = long_statement);

/// A statement that is prepared at its first use, because a command needs only a few of a reader's thirty statements.
/// Values are bound in the order of the calls. Blobs are not copied, so they must live until the statement was run or
/// stepped to its end. Throws SQLite::Exception.
class Query {
 public:
  Query(SQLite::Database& database, std::string sql);

  Query& integer(std::int64_t value);
  /// Binds bytes without a copy. They must live as long as the query is stepped.
  Query& blob(std::string_view value);
  Query& text(std::string_view value);
  /// Binds TEXT if the value is well-formed UTF-8 without NUL, and otherwise BLOB.
  Query& any(std::string_view value);
  Query& null();
  /// Binds NULL if there is no value.
  Query& optional(std::optional<std::int64_t> value) { return value ? integer(*value) : null(); }

  /// Runs a statement without rows, and makes it ready for the next values.
  void run();
  /// Steps to the next row. After the last one, the statement is ready for the next values.
  bool step();
  /// Discards the remaining rows.
  void reset();

  /// Return a value. Throw Damage if it has another type or is out of range.
  [[nodiscard]] std::int64_t number(int column, std::int64_t low, std::int64_t high) const;
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] std::uint32_t small(int column) const;  ///< 0 … 2^31 - 1
  [[nodiscard]] bool flag(int column) const;
  /// Returns the bytes of a BLOB or TEXT, which are valid until the next step.
  [[nodiscard]] std::string_view bytes(int column) const;
  [[nodiscard]] std::string string(int column) const;
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

/// Resets a statement at the end of the scope.
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
