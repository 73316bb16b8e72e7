#include "cassettes/file/schema.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "cassettes/file/connection.h"

namespace tapedeck::cassettes {

namespace {

// Docs: docs/cassette-format.md, a section for each table.
constexpr const char* tables[] = {
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE take(number INTEGER PRIMARY KEY, id BLOB NOT NULL, started_us INTEGER NOT NULL,"
    " ended_us INTEGER NOT NULL, tool_version TEXT NOT NULL, key_policy INTEGER NOT NULL, scrub_policy TEXT NOT NULL,"
    " base_path TEXT NOT NULL, note TEXT NOT NULL, model TEXT NOT NULL, firmware TEXT NOT NULL,"
    " finished INTEGER NOT NULL, verified INTEGER NOT NULL) STRICT",
    "CREATE TABLE scope(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
    "CREATE TABLE scope_take(scope INTEGER NOT NULL, take INTEGER NOT NULL, run INTEGER NOT NULL,"
    " complete INTEGER NOT NULL, lanes INTEGER NOT NULL, PRIMARY KEY(scope, take)) STRICT, WITHOUT ROWID",
    "CREATE TABLE session(take INTEGER NOT NULL, scope INTEGER NOT NULL, number INTEGER NOT NULL,"
    " account INTEGER NOT NULL, first_us INTEGER NOT NULL, last_us INTEGER NOT NULL, lane INTEGER NOT NULL,"
    " PRIMARY KEY(take, scope, number)) STRICT, WITHOUT ROWID",
    "CREATE TABLE mark(take INTEGER NOT NULL, number INTEGER NOT NULL, at_us INTEGER NOT NULL, name TEXT NOT NULL,"
    " PRIMARY KEY(take, number)) STRICT, WITHOUT ROWID",
    "CREATE TABLE word(id INTEGER PRIMARY KEY, text BLOB NOT NULL) STRICT",
    "CREATE TABLE header_set(id INTEGER PRIMARY KEY, text BLOB NOT NULL) STRICT",
    "CREATE TABLE dictionary(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT",
    "CREATE TABLE body(id INTEGER PRIMARY KEY, size INTEGER NOT NULL, encoding INTEGER NOT NULL,"
    " sha256 BLOB NOT NULL, bytes BLOB NOT NULL) STRICT",
    "CREATE TABLE operation(id INTEGER PRIMARY KEY, is_call INTEGER NOT NULL, label TEXT NOT NULL,"
    " rest TEXT NOT NULL, version TEXT NOT NULL, method TEXT NOT NULL) STRICT",
    "CREATE TABLE key(id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, operation INTEGER NOT NULL,"
    " has_holes INTEGER NOT NULL, text TEXT NOT NULL) STRICT",
    "CREATE TABLE request(id INTEGER PRIMARY KEY, key INTEGER NOT NULL, verb INTEGER NOT NULL,"
    " minor_version INTEGER NOT NULL, headers INTEGER NOT NULL, body INTEGER NOT NULL, target BLOB NOT NULL) STRICT",
    "CREATE TABLE interaction(id INTEGER PRIMARY KEY, number INTEGER NOT NULL, key_hash BLOB NOT NULL,"
    " sequences INTEGER NOT NULL, take INTEGER NOT NULL, lane INTEGER NOT NULL, position INTEGER NOT NULL,"
    " count INTEGER NOT NULL, passed_over INTEGER NOT NULL, hidden INTEGER NOT NULL, succeeded INTEGER NOT NULL,"
    " many_sessions INTEGER NOT NULL, divides INTEGER NOT NULL, digest BLOB NOT NULL, session INTEGER NOT NULL,"
    " account INTEGER NOT NULL,"
    " ord INTEGER NOT NULL, request INTEGER NOT NULL, status INTEGER NOT NULL, phrase INTEGER NOT NULL,"
    " headers INTEGER NOT NULL, body INTEGER NOT NULL, error_code INTEGER, segment INTEGER NOT NULL,"
    " effect INTEGER NOT NULL, completeness INTEGER NOT NULL, ended_by_client INTEGER NOT NULL,"
    " played INTEGER NOT NULL, reason INTEGER NOT NULL, withheld_digest TEXT NOT NULL,"
    " withheld_bytes INTEGER NOT NULL, started_us INTEGER NOT NULL, first_byte_us INTEGER,"
    " duration_us INTEGER NOT NULL, redactions INTEGER NOT NULL, redacted_parts INTEGER NOT NULL,"
    " body_size INTEGER NOT NULL, body_encoding INTEGER NOT NULL, body_sha256 BLOB NOT NULL,"
    " body_bytes BLOB NOT NULL) STRICT",
    "CREATE TABLE pace(interaction INTEGER PRIMARY KEY, events BLOB NOT NULL) STRICT",
    "CREATE TABLE redaction(interaction INTEGER NOT NULL, part INTEGER NOT NULL, offset INTEGER NOT NULL,"
    " length INTEGER NOT NULL, class INTEGER NOT NULL, whose INTEGER NOT NULL, owner INTEGER NOT NULL,"
    " ordinal INTEGER NOT NULL, encoding INTEGER NOT NULL, shape INTEGER NOT NULL, rule INTEGER NOT NULL,"
    " PRIMARY KEY(interaction, part, offset)) STRICT, WITHOUT ROWID",
    "CREATE TABLE aside(id INTEGER PRIMARY KEY, key_hash BLOB NOT NULL, take INTEGER NOT NULL, lane INTEGER NOT NULL,"
    " count INTEGER NOT NULL, succeeded INTEGER NOT NULL, many_sessions INTEGER NOT NULL,"
    " interaction INTEGER NOT NULL, place INTEGER NOT NULL, error_code INTEGER, segment INTEGER NOT NULL,"
    " divides INTEGER NOT NULL) STRICT",
    // Of unfinished takes. They are there from the beginning, so that a recorder changes no schema under a reader.
    "CREATE TABLE recorded(n INTEGER PRIMARY KEY, take INTEGER NOT NULL, generation INTEGER NOT NULL,"
    " scope TEXT NOT NULL, run INTEGER NOT NULL, session INTEGER NOT NULL, account INTEGER NOT NULL,"
    " effect INTEGER NOT NULL, completeness INTEGER NOT NULL, ended_by_client INTEGER NOT NULL,"
    " minor_version INTEGER NOT NULL, status INTEGER NOT NULL, withheld_bytes INTEGER NOT NULL,"
    " started_us INTEGER NOT NULL, first_byte_us INTEGER NOT NULL, ended_us INTEGER NOT NULL, verb BLOB NOT NULL,"
    " phrase BLOB NOT NULL, reason BLOB NOT NULL, withheld_digest TEXT NOT NULL, has_holes INTEGER NOT NULL,"
    " key TEXT NOT NULL, target BLOB NOT NULL, request_headers BLOB NOT NULL, response_headers BLOB NOT NULL,"
    " redactions BLOB NOT NULL, events BLOB NOT NULL, request_body BLOB NOT NULL, response_body BLOB NOT NULL) STRICT",
    "CREATE TABLE recorded_event(n INTEGER PRIMARY KEY, take INTEGER NOT NULL, at_us INTEGER NOT NULL,"
    " kind INTEGER NOT NULL, name TEXT NOT NULL, run INTEGER NOT NULL) STRICT",
};

constexpr const char* indexes[] = {
    "CREATE INDEX scope_by_name ON scope(name)",
    "CREATE INDEX operation_by_api ON operation(rest, method)",
    "CREATE INDEX key_by_operation ON key(operation)",
    "CREATE INDEX interaction_by_digest ON interaction(digest)",
    "CREATE INDEX aside_by_key ON aside(key_hash) WHERE count > 0",
};

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

SchemaRows expected_rows() {
  SchemaRows rows;
  for (const char* sql : tables) rows.push_back(schema_row(sql));
  for (const char* sql : indexes) rows.push_back(schema_row(sql));
  return rows;
}

}  // namespace

void create_schema(SQLite::Database& database) {
  database.exec("PRAGMA application_id=" + std::to_string(application_id));
  database.exec("PRAGMA user_version=" + std::to_string(format_version));
  for (const char* sql : tables) database.exec(sql);
  database.exec("INSERT INTO meta VALUES('state', 'finished')");
}

void create_indexes(SQLite::Database& database) {
  for (const char* sql : indexes) database.exec(sql);
}

void begin_recording(SQLite::Database& database) {
  database.exec("UPDATE meta SET value = 'recording' WHERE name = 'state'");
}

State check_schema(SQLite::Database& database) {
  const SchemaRows expected = expected_rows();
  if (schema_rows(database, expected.size()) != expected) throw Damage("its tables are not those of a cassette");
  Query query(database, "SELECT value FROM meta WHERE name = 'state'");
  Rows rows(query);
  if (query.step()) {
    if (query.bytes(0) == "finished") return State::finished;
    if (query.bytes(0) == "recording") return State::recording;
  }
  throw Damage("its state is neither finished nor recording");
}

}  // namespace tapedeck::cassettes
