#include "cassettes/file/schema.h"

#include <set>
#include <span>
#include <string>
#include <vector>

#include "cassettes/file/connection.h"
#include "cassettes/file/format.h"

namespace tapedeck::cassettes {

namespace {

// The tables are documented in docs/cassette-format.md.
constexpr const char* meta_table =
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID";
constexpr const char* take_table =
    "CREATE TABLE take(id INTEGER PRIMARY KEY, name BLOB NOT NULL, started_us INTEGER NOT NULL,"
    " ended_us INTEGER NOT NULL, tool TEXT NOT NULL, key_policy INTEGER NOT NULL, scrub_policy TEXT NOT NULL,"
    " base_path TEXT NOT NULL, device TEXT NOT NULL, note TEXT NOT NULL, model TEXT NOT NULL, firmware TEXT NOT NULL,"
    " finished INTEGER NOT NULL, verified INTEGER NOT NULL, account_key INTEGER) STRICT";
constexpr const char* event_table =
    "CREATE TABLE event(interaction INTEGER NOT NULL, number INTEGER NOT NULL, after_us INTEGER NOT NULL,"
    " bytes INTEGER NOT NULL, PRIMARY KEY(interaction, number)) STRICT, WITHOUT ROWID";
constexpr const char* redaction_table =
    "CREATE TABLE redaction(interaction INTEGER NOT NULL, part INTEGER NOT NULL, offset INTEGER NOT NULL,"
    " length INTEGER NOT NULL, class TEXT NOT NULL, whose INTEGER NOT NULL, owner INTEGER NOT NULL,"
    " number INTEGER NOT NULL, encoding TEXT NOT NULL, shape TEXT NOT NULL, rule TEXT NOT NULL,"
    " PRIMARY KEY(interaction, part, offset)) STRICT, WITHOUT ROWID";
constexpr const char* cassette_tables[] = {
    meta_table,
    take_table,
    "CREATE TABLE scope(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
    "CREATE TABLE scope_take(scope INTEGER NOT NULL, take INTEGER NOT NULL, run INTEGER NOT NULL,"
    " complete INTEGER NOT NULL, lanes INTEGER NOT NULL, PRIMARY KEY(scope, take)) STRICT, WITHOUT ROWID",
    "CREATE TABLE account(take INTEGER NOT NULL, scope INTEGER NOT NULL, number INTEGER NOT NULL,"
    " check_value INTEGER, PRIMARY KEY(take, scope, number)) STRICT, WITHOUT ROWID",
    "CREATE TABLE session(take INTEGER NOT NULL, scope INTEGER NOT NULL, number INTEGER NOT NULL,"
    " account INTEGER NOT NULL, lane INTEGER NOT NULL, first_us INTEGER NOT NULL, last_us INTEGER NOT NULL,"
    " PRIMARY KEY(take, scope, number)) STRICT, WITHOUT ROWID",
    "CREATE TABLE mark(take INTEGER NOT NULL, number INTEGER NOT NULL, at_us INTEGER NOT NULL, name TEXT NOT NULL,"
    " PRIMARY KEY(take, number)) STRICT, WITHOUT ROWID",
    "CREATE TABLE headers(id INTEGER PRIMARY KEY, text ANY NOT NULL) STRICT",
    "CREATE TABLE body(id INTEGER PRIMARY KEY, size INTEGER NOT NULL, sha256 BLOB NOT NULL, bytes ANY NOT NULL) STRICT",
    "CREATE TABLE key(id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, kind INTEGER NOT NULL, prefix TEXT NOT NULL,"
    " label TEXT NOT NULL, api TEXT NOT NULL, version TEXT NOT NULL, method TEXT NOT NULL, params TEXT NOT NULL,"
    " has_holes INTEGER NOT NULL, text TEXT NOT NULL) STRICT",
    "CREATE TABLE interaction(id INTEGER PRIMARY KEY, name BLOB NOT NULL, take INTEGER NOT NULL, ord INTEGER NOT NULL,"
    " lane INTEGER NOT NULL, session INTEGER NOT NULL, account INTEGER NOT NULL, key INTEGER NOT NULL,"
    " position INTEGER NOT NULL,"
    " verb TEXT NOT NULL, target ANY NOT NULL, minor_version INTEGER NOT NULL, request_headers INTEGER NOT NULL,"
    " request_body INTEGER NOT NULL, status INTEGER NOT NULL, phrase ANY NOT NULL, headers INTEGER NOT NULL,"
    " body INTEGER NOT NULL, error_code INTEGER, effect INTEGER NOT NULL, completeness INTEGER NOT NULL,"
    " reason TEXT NOT NULL, withheld_digest TEXT NOT NULL, withheld_bytes INTEGER NOT NULL,"
    " ended_by_client INTEGER NOT NULL, started_us INTEGER NOT NULL, first_byte_us INTEGER,"
    " duration_us INTEGER NOT NULL) STRICT",
    "CREATE TABLE sequence(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, key INTEGER NOT NULL,"
    " secrets TEXT NOT NULL, take INTEGER NOT NULL, lane INTEGER NOT NULL,"
    " account INTEGER NOT NULL, count INTEGER NOT NULL,"
    " passed_over INTEGER NOT NULL, hidden INTEGER NOT NULL, succeeded INTEGER NOT NULL,"
    " many_sessions INTEGER NOT NULL, ambiguous INTEGER NOT NULL, first_error INTEGER) STRICT",
    "CREATE TABLE sequence_entry(sequence INTEGER NOT NULL, position INTEGER NOT NULL, interaction INTEGER NOT NULL,"
    " place INTEGER NOT NULL, segment INTEGER NOT NULL, divides INTEGER NOT NULL, error_code INTEGER,"
    " PRIMARY KEY(sequence, position)) STRICT, WITHOUT ROWID",
    event_table,
    redaction_table,
};

constexpr const char* cassette_indexes[] = {
    "CREATE INDEX scope_by_name ON scope(name)",
    "CREATE INDEX key_by_text ON key(text, scope)",
    "CREATE INDEX key_by_api ON key(kind, api, method, version, label)",
    "CREATE INDEX sequence_by_key ON sequence(key, take, lane)",
    "CREATE INDEX interaction_by_name ON interaction(name)",
    "CREATE INDEX interaction_by_request_headers ON interaction(request_headers)",
    // A view for people. Tapedeck never reads it.
    "CREATE VIEW recordings AS SELECT lower(hex(i.name)) AS id, i.take, s.name AS scope,"
    " strftime('%Y-%m-%dT%H:%M:%S', i.started_us / 1000000, 'unixepoch') || 'Z' AS recorded_at, i.verb,"
    " CASE WHEN k.kind > 0 THEN k.label || CASE WHEN k.label = '' THEN '' ELSE '.' END || k.api END AS api,"
    " CASE WHEN k.kind > 0 THEN k.version END AS version, CASE WHEN k.kind > 0 THEN k.method END AS method,"
    " k.params, i.status,"
    " CASE i.completeness WHEN 0 THEN 'complete' WHEN 1 THEN 'broken' ELSE 'withheld' END AS completeness,"
    " CASE WHEN q.bytes IS NULL THEN i.target ELSE i.target || char(10) || q.bytes END AS request,"
    " r.bytes AS response"
    " FROM interaction i LEFT JOIN key k ON k.id = i.key LEFT JOIN scope s ON s.id = k.scope"
    " LEFT JOIN body q ON q.id = i.request_body LEFT JOIN body r ON r.id = i.body ORDER BY i.id",
    // The messages of WebSockets, for people as well.
    "CREATE VIEW messages AS SELECT lower(hex(i.name)) AS interaction, m.key + 1 AS number,"
    " json_extract(m.value, '$.from') AS direction,"
    " strftime('%Y-%m-%dT%H:%M:%f', (i.started_us + json_extract(m.value, '$.at_us')) / 1000000.0, 'unixepoch') || 'Z'"
    " AS time, json_extract(m.value, '$.type') AS type,"
    " coalesce(json_extract(m.value, '$.data'), json_extract(m.value, '$.base64')) AS bytes,"
    " json_extract(m.value, '$.withheld') AS withheld"
    " FROM interaction i JOIN body r ON r.id = i.body JOIN json_each(r.bytes) m"
    " WHERE i.status = 101 AND i.completeness = 0 AND json_extract(m.value, '$.type') IN ('text', 'binary')"
    " ORDER BY i.id, m.key",
};

constexpr const char* recording_tables[] = {
    take_table,
    meta_table,
    "CREATE TABLE recorded(n INTEGER PRIMARY KEY, socket INTEGER NOT NULL, message INTEGER NOT NULL,"
    " generation INTEGER NOT NULL, scope TEXT NOT NULL, run INTEGER NOT NULL, session INTEGER NOT NULL, account "
    "INTEGER NOT NULL, effect INTEGER NOT NULL,"
    " completeness INTEGER NOT NULL, ended_by_client INTEGER NOT NULL, minor_version INTEGER NOT NULL,"
    " status INTEGER NOT NULL, withheld_bytes INTEGER NOT NULL, started_us INTEGER NOT NULL,"
    " first_byte_us INTEGER NOT NULL, ended_us INTEGER NOT NULL, verb TEXT NOT NULL, phrase ANY NOT NULL,"
    " reason TEXT NOT NULL, withheld_digest TEXT NOT NULL, has_holes INTEGER NOT NULL, key TEXT NOT NULL,"
    " target ANY NOT NULL, request_headers ANY NOT NULL, response_headers ANY NOT NULL, request_body ANY NOT NULL,"
    " response_body ANY NOT NULL) STRICT",
    "CREATE INDEX recorded_messages ON recorded(socket, message) WHERE socket > 0",
    event_table,
    redaction_table,
    "CREATE TABLE note(n INTEGER PRIMARY KEY, at_us INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL,"
    " run INTEGER NOT NULL) STRICT",
};

/// A row of sqlite_schema without its page: type, name, table, and SQL.
using SchemaRow = std::vector<std::string>;

/// Returns at most `most` + 1 rows.
std::vector<SchemaRow> schema_rows(SQLite::Database& database, std::size_t most) {
  std::vector<SchemaRow> rows;
  std::set<std::int64_t> roots;
  Query query(database, "SELECT type, name, tbl_name, ifnull(sql, ''), rootpage FROM sqlite_schema ORDER BY rowid");
  while (query.step()) {
    rows.push_back({query.string(0), query.string(1), query.string(2), query.string(3)});
    // If two tables shared a page, writing to one would change the other.
    const std::int64_t root = query.number(4);
    if (root != 0 && !roots.insert(root).second) throw Damage("two of its tables share a page");
    if (rows.size() > most) break;
  }
  return rows;
}

}  // namespace

void create_tables(SQLite::Database& database, Schema schema) {
  const bool is_cassette = schema == Schema::cassette;
  database.exec("PRAGMA application_id=" + std::to_string(is_cassette ? application_id : recording_id));
  database.exec("PRAGMA user_version=" + std::to_string(format_version));
  const std::span<const char* const> tables =
      is_cassette ? std::span<const char* const>(cassette_tables) : std::span<const char* const>(recording_tables);
  for (const char* const sql : tables) database.exec(sql);
}

void create_indexes(SQLite::Database& database) {
  for (const char* const sql : cassette_indexes) database.exec(sql);
}

void check_schema(SQLite::Database& database, Schema schema) {
  const auto rows_of_new = [](Schema kind) {
    SQLite::Database created(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    create_tables(created, kind);
    if (kind == Schema::cassette) create_indexes(created);
    return schema_rows(created, std::string::npos);
  };
  const auto check = [&](const std::vector<SchemaRow>& expected) {
    if (schema_rows(database, expected.size()) != expected) throw Damage("its tables are not those of a cassette");
  };
  if (schema == Schema::cassette) {
    static const std::vector<SchemaRow> cassette = rows_of_new(Schema::cassette);
    check(cassette);
  } else {
    static const std::vector<SchemaRow> recording = rows_of_new(Schema::recording);
    check(recording);
  }
}

}  // namespace tapedeck::cassettes
