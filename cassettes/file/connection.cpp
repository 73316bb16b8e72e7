#include "cassettes/file/connection.h"

#include <sqlite3.h>

#include <limits>
#include <new>
#include <utility>

#include "base/utf8.h"
#include "cassettes/file/cassette_error.h"

namespace tapedeck::cassettes {

namespace {

constexpr int steps_between_looks = 20'000;
/// The size of a row in `recorded`: two bodies of 256 MiB and heads of a few MiB.
constexpr int longest_row = 600 << 20;

CassetteError::Kind kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return CassetteError::Kind::in_use;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return CassetteError::Kind::io;
    default:
      return CassetteError::Kind::damaged;
  }
}

std::string line_for(CassetteError::Kind kind, int code, const char* what) {
  switch (kind) {
    case CassetteError::Kind::in_use:
      return " is in use by another program";
    case CassetteError::Kind::io:
      return (code & 0xff) == SQLITE_FULL ? " cannot be written: the disk is full"
                                          : std::string(" cannot be read or written: ") + what;
    default:
      break;
  }
  if ((code & 0xff) == SQLITE_INTERRUPT) return " is damaged: reading it takes too long";
  if ((code & 0xff) == SQLITE_CORRUPT) return " is damaged, or was changed by another program: a page is wrong";
  return " is damaged: " + base::printable(what);  // the message may quote names from the file
}

}  // namespace

void rethrow_for(const std::string& path) {
  try {
    throw;
  } catch (const CassetteError&) {
    throw;
  } catch (const Damage& damage) {
    throw CassetteError(CassetteError::Kind::damaged, path + " is damaged: " + damage.what());
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() == SQLITE_NOMEM) throw std::bad_alloc();
    const auto kind = kind_of(error.getErrorCode());
    throw CassetteError(kind, path + line_for(kind, error.getErrorCode(), error.what()));
  }
}

void quick_check(SQLite::Database& database, Deadline& deadline, std::chrono::milliseconds limit) {
  deadline.arm(limit);
  Query query(database, "PRAGMA quick_check(1)");
  Rows rows(query);
  if (!query.step() || query.bytes(0) != "ok") throw Damage("SQLite's integrity check fails");
  deadline.arm(one_statement);
}

void harden(SQLite::Database& database) {
  sqlite3* handle = database.getHandle();
  for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                      {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
                                      {SQLITE_DBCONFIG_DQS_DDL, 0},
                                      {SQLITE_DBCONFIG_DQS_DML, 0}}) {
    sqlite3_db_config(handle, option, value, nullptr);
  }
  for (const auto& [limit, value] : {std::pair{SQLITE_LIMIT_LENGTH, longest_row},
                                     {SQLITE_LIMIT_SQL_LENGTH, 20'000},
                                     {SQLITE_LIMIT_COLUMN, 64},
                                     {SQLITE_LIMIT_EXPR_DEPTH, 40},
                                     {SQLITE_LIMIT_COMPOUND_SELECT, 4},
                                     {SQLITE_LIMIT_VDBE_OP, 25'000},
                                     {SQLITE_LIMIT_FUNCTION_ARG, 8},
                                     {SQLITE_LIMIT_ATTACHED, 0},
                                     {SQLITE_LIMIT_VARIABLE_NUMBER, 64},
                                     {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                     {SQLITE_LIMIT_WORKER_THREADS, 0}}) {
    sqlite3_limit(handle, limit, value);
  }
  database.exec("PRAGMA cell_size_check=ON");
}

Deadline::Deadline(SQLite::Database& database) : database_(database) {
  sqlite3_progress_handler(database.getHandle(), steps_between_looks, &Deadline::expired, this);
}

Deadline::~Deadline() { sqlite3_progress_handler(database_.getHandle(), 0, nullptr, nullptr); }

int Deadline::expired(void* self) {
  return std::chrono::steady_clock::now() > static_cast<Deadline*>(self)->end_ ? 1 : 0;
}

Query::Query(SQLite::Database& database, std::string sql) : database_(database.getHandle()), sql_(std::move(sql)) {}

sqlite3_stmt* Query::prepared() {
  if (!statement_) {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v3(database_, sql_.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
    statement_.reset(statement);
  }
  return statement_.get();
}

void Query::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Query::check(int code) const {
  if (code != SQLITE_OK) throw SQLite::Exception(database_, code);
}

Query& Query::integer(std::int64_t value) {
  check(sqlite3_bind_int64(prepared(), ++bound_, value));
  return *this;
}

Query& Query::blob(std::string_view value) {
  // SQLite would bind NULL for a null pointer.
  const char* data = value.empty() ? "" : value.data();
  check(sqlite3_bind_blob64(prepared(), ++bound_, data, value.size(), SQLITE_STATIC));
  return *this;
}

Query& Query::text(std::string_view value) {
  const char* data = value.empty() ? "" : value.data();
  check(sqlite3_bind_text64(prepared(), ++bound_, data, value.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Query& Query::any(std::string_view value) {
  // Many tools cut a TEXT value at its first NUL.
  const bool is_text = value.find('\0') == std::string_view::npos && base::is_utf8(value);
  return is_text ? text(value) : blob(value);
}

Query& Query::null() {
  check(sqlite3_bind_null(prepared(), ++bound_));
  return *this;
}

void Query::run() {
  Rows rows(*this);
  while (step()) {
  }
}

bool Query::step() {
  const int code = sqlite3_step(prepared());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) throw SQLite::Exception(database_, code);
  reset();
  return false;
}

void Query::reset() {
  bound_ = 0;
  sqlite3_reset(statement_.get());
}

std::int64_t Query::number(int column, std::int64_t low, std::int64_t high) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER) throw Damage("a value is not a number");
  const std::int64_t number = sqlite3_column_int64(statement_.get(), column);
  if (number < low || number > high) throw Damage("a number is out of range");
  return number;
}

std::int64_t Query::number(int column) const {
  return number(column, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
}

std::uint32_t Query::small(int column) const {
  return static_cast<std::uint32_t>(number(column, 0, std::numeric_limits<std::int32_t>::max()));
}

bool Query::flag(int column) const { return number(column, 0, 1) == 1; }

std::string_view Query::bytes(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  if (type != SQLITE_BLOB && type != SQLITE_TEXT) throw Damage("a value is not text");
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data ? std::string_view(data, static_cast<std::size_t>(size)) : std::string_view();
}

std::string Query::string(int column) const {
  return std::string(bytes(column));
}

bool Query::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

Rows::~Rows() { query_.reset(); }

}  // namespace tapedeck::cassettes
