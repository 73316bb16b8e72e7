#include "cassettes/file/schema.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "cassettes/file/connection.h"

namespace tapedeck::cassettes {

namespace {

// How the older formats differ: docs/cassette-format.md, "Older formats".

constexpr const char* key_table =
    "CREATE TABLE key(id INTEGER PRIMARY KEY, operation INTEGER NOT NULL, has_holes INTEGER NOT NULL,"
    " text TEXT NOT NULL) STRICT";
constexpr const char* key_table_1 =
    "CREATE TABLE key(id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, operation INTEGER NOT NULL,"
    " has_holes INTEGER NOT NULL, text TEXT NOT NULL) STRICT";
constexpr const char* key_index_1 = "CREATE INDEX key_by_hash ON key(hash)";

/// Of `interaction`, in this order.
constexpr const char* address_columns =
    "id INTEGER PRIMARY KEY, number INTEGER NOT NULL, key_hash BLOB NOT NULL, sequences INTEGER NOT NULL,"
    " take INTEGER NOT NULL, lane INTEGER NOT NULL, position INTEGER NOT NULL, count INTEGER NOT NULL,"
    " passed_over INTEGER NOT NULL, hidden INTEGER NOT NULL, succeeded INTEGER NOT NULL,"
    " many_sessions INTEGER NOT NULL, divides INTEGER NOT NULL, digest BLOB NOT NULL";
constexpr const char* address_columns_2 = "id INTEGER PRIMARY KEY, digest BLOB NOT NULL, take INTEGER NOT NULL";
constexpr const char* content_columns =
    ", session INTEGER NOT NULL, account INTEGER NOT NULL, ord INTEGER NOT NULL, request INTEGER NOT NULL,"
    " status INTEGER NOT NULL, phrase INTEGER NOT NULL, headers INTEGER NOT NULL, body INTEGER NOT NULL,"
    " error_code INTEGER, segment INTEGER NOT NULL, effect INTEGER NOT NULL, completeness INTEGER NOT NULL,"
    " played INTEGER NOT NULL, reason INTEGER NOT NULL, withheld_digest TEXT NOT NULL,"
    " withheld_bytes INTEGER NOT NULL, started_us INTEGER NOT NULL, duration_us INTEGER NOT NULL,"
    " redactions INTEGER NOT NULL, redacted_parts INTEGER NOT NULL";
constexpr const char* body_columns =
    ", body_size INTEGER NOT NULL, body_encoding INTEGER NOT NULL, body_sha256 BLOB NOT NULL,"
    " body_bytes BLOB NOT NULL";

constexpr const char* aside_table =
    "CREATE TABLE aside(id INTEGER PRIMARY KEY, key_hash BLOB NOT NULL, take INTEGER NOT NULL, lane INTEGER NOT NULL,"
    " count INTEGER NOT NULL, succeeded INTEGER NOT NULL, many_sessions INTEGER NOT NULL,"
    " interaction INTEGER NOT NULL, place INTEGER NOT NULL, segment INTEGER NOT NULL, divides INTEGER NOT NULL) STRICT";
constexpr const char* aside_index = "CREATE INDEX aside_by_key ON aside(key_hash) WHERE count > 0";

constexpr const char* sequence_table_2 =
    "CREATE TABLE sequence(key_high INTEGER NOT NULL, key_low INTEGER NOT NULL, take INTEGER NOT NULL,"
    " lane INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL, passed_over INTEGER NOT NULL,"
    " hidden INTEGER NOT NULL, succeeded INTEGER NOT NULL, many_sessions INTEGER NOT NULL,"
    " PRIMARY KEY(key_high, key_low, take, lane)) STRICT, WITHOUT ROWID";
constexpr const char* sequence_table_1 =
    "CREATE TABLE sequence(key INTEGER NOT NULL, take INTEGER NOT NULL, lane INTEGER NOT NULL,"
    " first INTEGER NOT NULL, count INTEGER NOT NULL, passed_over INTEGER NOT NULL, hidden INTEGER NOT NULL,"
    " succeeded INTEGER NOT NULL, many_sessions INTEGER NOT NULL,"
    " PRIMARY KEY(key, take, lane)) STRICT, WITHOUT ROWID";

std::string interaction_table(int format) {
  std::string sql = "CREATE TABLE interaction(";
  sql.append(format < 3 ? address_columns_2 : address_columns).append(content_columns);
  return sql.append(format < 2 ? "" : body_columns).append(") STRICT");
}

struct Schema {
  std::vector<std::string> tables, indexes;  ///< in the order in which they are made
};

Schema schema_of(int format) {
  Schema schema;
  schema.tables = {
      "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
      "CREATE TABLE take(number INTEGER PRIMARY KEY, started_us INTEGER NOT NULL, ended_us INTEGER NOT NULL,"
      " tool_version TEXT NOT NULL, key_policy INTEGER NOT NULL, scrub_policy TEXT NOT NULL, base_path TEXT NOT NULL,"
      " lanes INTEGER NOT NULL, finished INTEGER NOT NULL, verified INTEGER NOT NULL) STRICT",
      "CREATE TABLE session(take INTEGER NOT NULL, number INTEGER NOT NULL, account INTEGER NOT NULL,"
      " first_us INTEGER NOT NULL, last_us INTEGER NOT NULL, lane INTEGER NOT NULL,"
      " PRIMARY KEY(take, number)) STRICT, WITHOUT ROWID",
      "CREATE TABLE word(id INTEGER PRIMARY KEY, text BLOB NOT NULL) STRICT",
      "CREATE TABLE header_set(id INTEGER PRIMARY KEY, text BLOB NOT NULL) STRICT",
      "CREATE TABLE dictionary(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT",
      "CREATE TABLE body(id INTEGER PRIMARY KEY, size INTEGER NOT NULL, encoding INTEGER NOT NULL,"
      " sha256 BLOB NOT NULL, bytes BLOB NOT NULL) STRICT",
      "CREATE TABLE operation(id INTEGER PRIMARY KEY, is_call INTEGER NOT NULL, label TEXT NOT NULL,"
      " rest TEXT NOT NULL, version TEXT NOT NULL, method TEXT NOT NULL) STRICT",
      format < 2 ? key_table_1 : key_table,
      "CREATE TABLE request(id INTEGER PRIMARY KEY, key INTEGER NOT NULL, verb INTEGER NOT NULL,"
      " minor_version INTEGER NOT NULL, headers INTEGER NOT NULL, body INTEGER NOT NULL, target BLOB NOT NULL) STRICT",
      interaction_table(format),
      "CREATE TABLE redaction(interaction INTEGER NOT NULL, part INTEGER NOT NULL, offset INTEGER NOT NULL,"
      " length INTEGER NOT NULL, class INTEGER NOT NULL, whose INTEGER NOT NULL, owner INTEGER NOT NULL,"
      " ordinal INTEGER NOT NULL, encoding INTEGER NOT NULL, shape INTEGER NOT NULL, rule INTEGER NOT NULL,"
      " PRIMARY KEY(interaction, part, offset)) STRICT, WITHOUT ROWID",
  };
  schema.tables.emplace_back(format < 2 ? sequence_table_1 : format < 3 ? sequence_table_2 : aside_table);
  schema.indexes = {"CREATE INDEX operation_by_api ON operation(rest, method)"};
  if (format < 2) schema.indexes.emplace_back(key_index_1);
  schema.indexes.emplace_back("CREATE INDEX key_by_operation ON key(operation)");
  schema.indexes.emplace_back("CREATE INDEX interaction_by_digest ON interaction(digest)");
  if (format >= 3) schema.indexes.emplace_back(aside_index);
  return schema;
}

constexpr const char* recorded_table =
    "CREATE TABLE recorded(n INTEGER PRIMARY KEY, take INTEGER NOT NULL, generation INTEGER NOT NULL, session INTEGER "
    "NOT NULL,"
    " account INTEGER NOT NULL, effect INTEGER NOT NULL, completeness INTEGER NOT NULL,"
    " minor_version INTEGER NOT NULL, status INTEGER NOT NULL, withheld_bytes INTEGER NOT NULL,"
    " started_us INTEGER NOT NULL, ended_us INTEGER NOT NULL, verb BLOB NOT NULL, phrase BLOB NOT NULL,"
    " reason BLOB NOT NULL, withheld_digest TEXT NOT NULL, has_holes INTEGER NOT NULL, key TEXT NOT NULL,"
    " target BLOB NOT NULL, request_headers BLOB NOT NULL, response_headers BLOB NOT NULL, redactions BLOB NOT NULL,"
    " request_body BLOB NOT NULL, response_body BLOB NOT NULL) STRICT";

using SchemaRows = std::vector<std::string>;

/// Those that are there, and no more of them than `most` and one.
SchemaRows schema_rows(SQLite::Database& database, std::size_t most) {
  SchemaRows rows;
  std::set<std::int64_t> roots;
  Query query(database, "SELECT type, name, tbl_name, ifnull(sql, ''), rootpage FROM sqlite_schema ORDER BY rowid");
  while (query.step()) {
    std::string row;
    for (int column = 0; column < 4; ++column) row += query.string(column) + '\n';
    rows.push_back(std::move(row));
    // Two tables on one page would let a write to the one change the other.
    if (!roots.insert(query.number(4)).second) throw Damage("two of its tables share a page");
    if (rows.size() > most) break;
  }
  return rows;
}

/// The row that SQLite makes of "CREATE TABLE name(…" or "CREATE INDEX name ON table(…".
std::string schema_row(std::string_view sql) {
  constexpr std::string_view table = "CREATE TABLE ", index = "CREATE INDEX ", on = " ON ";
  const bool is_table = sql.starts_with(table);
  const std::string_view names = sql.substr(is_table ? table.size() : index.size());
  const std::string_view head = names.substr(0, names.find('('));
  const std::size_t name_end = std::min(head.find(on), head.size());
  const std::string_view owner = is_table ? head : head.substr(name_end + on.size());
  std::string row = is_table ? "table\n" : "index\n";
  row.append(head.substr(0, name_end)).append("\n").append(owner).append("\n").append(sql).append("\n");
  return row;
}

SchemaRows expected_rows(int format, State state) {
  const Schema schema = schema_of(format);
  SchemaRows rows;
  for (const std::string& sql : schema.tables) rows.push_back(schema_row(sql));
  for (const std::string& sql : schema.indexes) rows.push_back(schema_row(sql));
  if (state == State::recording) rows.push_back(schema_row(recorded_table));
  return rows;
}

}  // namespace

void create_schema(SQLite::Database& database) {
  database.exec("PRAGMA application_id=" + std::to_string(application_id));
  database.exec("PRAGMA user_version=" + std::to_string(format_version));
  for (const std::string& sql : schema_of(format_version).tables) database.exec(sql);
  database.exec("INSERT INTO meta VALUES('state', 'finished')");
}

void create_indexes(SQLite::Database& database) {
  for (const std::string& sql : schema_of(format_version).indexes) database.exec(sql);
}

void add_recording_tables(SQLite::Database& database) {
  database.exec(recorded_table);
  database.exec("UPDATE meta SET value = 'recording' WHERE name = 'state'");
}

int format_of(SQLite::Database& database) { return database.execAndGet("PRAGMA user_version").getInt(); }

State check_schema(SQLite::Database& database) {
  const int format = format_of(database);
  const SchemaRows finished = expected_rows(format, State::finished);
  const SchemaRows recording = expected_rows(format, State::recording);
  const SchemaRows found = schema_rows(database, recording.size());
  if (found != finished && found != recording) throw Damage("its tables are not those of a cassette");
  const State state = found == recording ? State::recording : State::finished;
  Query query(database, "SELECT value FROM meta WHERE name = 'state'");
  Rows rows(query);
  if (!query.step() || query.bytes(0) != (state == State::recording ? "recording" : "finished")) {
    throw Damage("its state is not the one of its tables");
  }
  return state;
}

}  // namespace tapedeck::cassettes
