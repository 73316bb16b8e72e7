#include "cassettes/connection.h"

#include <sqlite3.h>

#include <limits>
#include <new>

#include "cassettes/cassette_error.h"

namespace tapedeck::cassettes {

namespace {

constexpr int steps_between_looks = 20'000;

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
  return std::string(" is damaged: ") + what;
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
  for (const auto& [limit, value] : {std::pair{SQLITE_LIMIT_LENGTH, 300 << 20},
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

Query& Query::integer(std::int64_t value) {
  statement_.bind(++bound_, value);
  return *this;
}

Query& Query::blob(std::string_view value) {
  if (value.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) throw Damage("a value is too long");
  // A null pointer would bind NULL.
  statement_.bindNoCopy(++bound_, value.empty() ? static_cast<const void*>("") : value.data(),
                        static_cast<int>(value.size()));
  return *this;
}

Query& Query::text(std::string_view value) {
  // SQLiteCpp stops a char pointer at the first NUL; a std::string is bound with its length, and copied.
  statement_.bind(++bound_, std::string(value));
  return *this;
}

Query& Query::null() {
  statement_.bind(++bound_);
  return *this;
}

void Query::run() {
  Rows rows(*this);
  while (statement_.executeStep()) {
  }
}

bool Query::step() {
  if (statement_.executeStep()) return true;
  reset();
  return false;
}

void Query::reset() {
  bound_ = 0;
  statement_.tryReset();
}

std::int64_t Query::number(int column, std::int64_t low, std::int64_t high) const {
  const auto value = statement_.getColumn(column);
  if (!value.isInteger()) throw Damage("a value is not a number");
  const std::int64_t number = value.getInt64();
  if (number < low || number > high) throw Damage("a number is out of its range");
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
  const auto value = statement_.getColumn(column);
  if (!value.isBlob() && !value.isText()) throw Damage("a value is not a text");
  const auto* data = static_cast<const char*>(value.getBlob());
  return data ? std::string_view(data, static_cast<std::size_t>(value.getBytes())) : std::string_view();
}

bool Query::is_null(int column) const { return statement_.getColumn(column).isNull(); }

Rows::~Rows() { query_.reset(); }

}  // namespace tapedeck::cassettes
