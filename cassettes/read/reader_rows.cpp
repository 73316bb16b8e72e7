// Prepares the statements of CassetteReader and reads rows.

#include <algorithm>
#include <tuple>

#include "base/digest.h"
#include "cassettes/file/rows.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t most_labels = 10'000;

/// The columns of a ListedInteraction, and the tables other than `interaction` i that have them.
const std::string line_columns =
    "SELECT i.id, i.name, i.take, i.session, i.verb, i.status, i.error_code, ifnull(b.size, 0),"
    " (SELECT count(*) FROM redaction WHERE interaction = i.id), i.completeness, i.effect, i.started_us,"
    " i.duration_us, i.reason, k.text, i.lane, i.position, i.ord, i.ended_by_client, i.first_byte_us,"
    " ifnull(s.name, ''), ifnull(nullif(i.account, 0), ifnull((SELECT d.account FROM session d WHERE d.take = i.take"
    " AND d.scope = k.scope AND d.number = i.session), 0)), ";
const std::string line_tables =
    " CROSS JOIN key k LEFT JOIN scope s ON s.id = k.scope LEFT JOIN body b ON b.id = i.body";
const std::string one_line =
    line_columns +
    "i.position < (SELECT q.count FROM sequence q CROSS JOIN sequence_entry e WHERE q.key = i.key AND q.take = i.take"
    " AND q.lane = i.lane AND q.kind = 0 AND e.sequence = q.id AND e.position = i.position AND e.interaction = i.id)"
    " FROM interaction i" +
    line_tables + " WHERE i.id = ? AND k.id = i.key";
const std::string all_lines =
    line_columns +
    "i.position < q.count, i.key = q.key AND i.take = q.take AND i.lane = q.lane AND i.position = e.position"
    " FROM sequence q CROSS JOIN sequence_entry e CROSS JOIN interaction i" +
    line_tables +
    " WHERE q.kind = 0 AND e.sequence = q.id AND i.id = e.interaction AND k.id = i.key ORDER BY q.id, e.position";
constexpr int account_column = 21, is_played_column = 22, is_in_place_column = 23;

}  // namespace

ReaderQueries::ReaderQueries(SQLite::Database& database)
    : sequences(database,
                "SELECT q.id, q.take, q.lane, q.count, q.passed_over, q.hidden, q.succeeded, q.many_sessions,"
                " q.first_error, q.secrets, q.ambiguous, q.account FROM key k CROSS JOIN sequence q WHERE k.text = ?"
                " AND k.scope = ? AND q.key = k.id"
                " AND q.kind = ? ORDER BY q.take DESC, q.lane, q.id"),
      answer(database,
             "SELECT i.id, e.place, e.segment, e.divides, e.error_code, i.name, i.status, i.phrase, i.headers,"
             " i.started_us, i.body, b.size, b.sha256, b.bytes, i.take,"
             " (SELECT s.name FROM key k CROSS JOIN scope s WHERE k.id = i.key AND s.id = k.scope),"
             " ifnull(i.first_byte_us, 0) FROM sequence_entry e CROSS JOIN interaction i"
             " LEFT JOIN body b ON b.id = i.body WHERE e.sequence = ? AND e.position = ? AND i.id = e.interaction"),
      segments(database,
               "SELECT segment FROM sequence_entry WHERE sequence = ? AND position >= ? AND position < ?"
               " ORDER BY position"),
      turns(database,
            "SELECT i.account, i.ord, e.error_code, i.session FROM sequence_entry e CROSS JOIN interaction i"
            " WHERE e.sequence = ? AND e.position < ? AND i.id = e.interaction ORDER BY e.position"),
      has_api(database, "SELECT 1 FROM key WHERE kind = 1 AND api = ? LIMIT 1"),
      keys_of(database,
              "SELECT text, has_holes FROM key WHERE kind = ? AND api = ? AND method = ? AND scope = ?"
              " ORDER BY id LIMIT ?"),
      scoped_keys(database,
                  "SELECT k.text, k.has_holes, s.name FROM key k CROSS JOIN scope s"
                  " WHERE k.kind = ? AND k.api = ? AND k.method = ? AND s.id = k.scope ORDER BY k.id LIMIT ?"),
      scopes_of_key(database,
                    "SELECT s.name FROM key k CROSS JOIN scope s WHERE k.text = ? AND k.kind <> 2 AND s.id = k.scope"
                    " ORDER BY k.scope LIMIT ?"),
      interaction_by_name(database, "SELECT id FROM interaction WHERE name >= ? AND name <= ? LIMIT 2"),
      line(database, one_line),
      scope_takes(database,
                  "SELECT take, run, complete, lanes FROM scope_take WHERE scope = ? ORDER BY scope, take DESC"),
      scope_id(database, "SELECT id FROM scope WHERE name = ?"),
      sessions(database,
               "SELECT number, account, lane, number IN (SELECT i.session FROM key k"
               " CROSS JOIN sequence q ON q.key = k.id AND q.take = ?1 CROSS JOIN sequence_entry e ON e.sequence = q.id"
               " CROSS JOIN interaction i ON i.id = e.interaction"
               " CROSS JOIN redaction r ON r.interaction = i.id AND r.part = 5 AND r.rule = ?3"
               " WHERE k.kind = 1 AND k.api = 'API.Auth' AND k.method = 'login' AND k.scope = ?2)"
               " FROM session WHERE take = ?1 AND scope = ?2 ORDER BY number") {}

/// The index takes one step for each distinct operation, however many keys it has.
std::vector<CassetteReader::Operation> CassetteReader::Impl::load_operations() {
  std::vector<std::tuple<std::string, std::string, std::string, std::string>> found;
  Query first(
      *database,
      "SELECT api, method, version, label FROM key WHERE kind = 1 ORDER BY api, method, version, label LIMIT 1");
  Query next(
      *database,
      "SELECT api, method, version, label FROM key WHERE kind = 1 AND (api, method, version, label) > (?, ?, ?, ?)"
      " ORDER BY api, method, version, label LIMIT 1");
  const auto take_from = [&found](const Query& row) {
    found.emplace_back(row.string(3), row.string(0), row.string(2), row.string(1));
  };
  if (first.step()) take_from(first);
  for (bool is_more = !found.empty(); is_more;) {
    const auto [label, api, version, method] = found.back();
    const Rows ready(next);
    is_more = next.text(api).text(method).text(version).text(label).step();
    if (is_more) take_from(next);
    deadline.arm(long_statement);
  }
  std::sort(found.begin(), found.end());
  std::vector<Operation> operations;
  for (const auto& [label, api, version, method] : found) {
    operations.push_back({api::ApiName{label, api}.full(), version, method});
  }
  return operations;
}

void CassetteReader::Impl::load_info() {
  info.takes = read_takes(*database);
  for (const Take& take : info.takes) {
    info.finished &= take.finished;
    info.verified &= take.verified;
    info.base_path = take.base_path;
    if (!take.device.empty()) info.device = take.device;
    info.key_policy = take.key_policy;
    info.scrub_policy = take.scrub_policy;
  }
  const Fingerprints allowed = read_allowed(*database);
  info.allowed.assign(allowed.begin(), allowed.end());
  Query last(*database, "SELECT ifnull(max(id), 0) FROM interaction");
  if (last.step()) info.interactions = static_cast<std::uint64_t>(last.number(0, 0, INT64_MAX >> 1));
  Query kind(*database, "SELECT kind FROM sequence ORDER BY id DESC LIMIT 1");
  if (kind.step()) info.has_parts = kind.number(0) == static_cast<int>(SequenceKind::part);
  std::set<std::string> labels;
  for (const Operation& operation : load_operations()) {
    labels.insert(api::ApiName::split(operation.api).label);
    if (labels.size() > most_labels) throw Damage("it has too many API labels");
  }
  labels.erase("");
  info.labels.assign(labels.begin(), labels.end());
}

ListedInteraction CassetteReader::Impl::line_at(const Query& row) {
  ListedInteraction line;
  line.interaction = row.number(0);
  line.id = base::to_hex(row.bytes(1));
  line.take = row.small(2);
  line.session = row.small(3);
  line.verb = row.string(4);
  line.status = static_cast<int>(row.number(5, 0, 999));
  line.error_code = error_code_in(row, 6);
  line.body_bytes = static_cast<std::uint64_t>(row.number(7, 0, static_cast<std::int64_t>(largest_body)));
  line.redactions = row.small(8);
  line.completeness = static_cast<api::Completeness>(row.number(9, 0, 2));
  line.effect = static_cast<api::Effect>(row.number(10, 0, 2));
  line.started_us = row.number(11, -largest_time, largest_time);
  line.ended_us = line.started_us + row.number(12, -largest_time, largest_time);
  line.reason = row.string(13);
  line.key = row.string(14);
  line.account = row.small(account_column);
  line.lane = row.small(15);
  line.position = row.small(16);
  line.ord = row.small(17);
  line.ended_by_client = row.flag(18);
  if (!row.is_null(19)) line.first_byte_us = line.started_us + row.number(19, 0, largest_time);
  line.scope = row.string(20);
  line.is_played = row.flag(is_played_column);
  return line;
}

void CassetteReader::Impl::each_line(const std::function<bool(const ListedInteraction&)>& visit) {
  Query lines(*database, all_lines);
  std::uint64_t interactions = 0;
  while (lines.step()) {
    if (!lines.flag(is_in_place_column)) throw Damage("an interaction is not in its sequence");
    ++interactions;
    if (!visit(line_at(lines))) return;
    deadline.arm(long_statement);
  }
  if (interactions != info.interactions) throw Damage("an interaction is missing");
}

FullInteraction CassetteReader::Impl::full(ListedInteraction line) {
  FullInteraction full{std::move(line), {}};
  full.record = rows.record(full.line.interaction);
  const bool has_holes = full.record.key.has_holes;
  full.record.key = api::RequestKey::parse(full.line.key);
  full.record.key.has_holes = has_holes;
  return full;
}

FullInteraction CassetteReader::Impl::full(std::int64_t interaction) {
  const Rows ready(queries.line);
  if (!queries.line.integer(interaction).step()) throw Damage("an interaction is missing");
  return full(line_at(queries.line));
}

FullInteraction CassetteReader::at(std::int64_t interaction) const {
  return impl_->guarded(one_statement, [&] { return impl_->full(interaction); });
}

void CassetteReader::list(const std::function<bool(const ListedInteraction&)>& visit) const {
  impl_->guarded(long_statement, [&] { impl_->each_line(visit); });
}

void CassetteReader::each(const std::function<bool(const FullInteraction&)>& visit) const {
  impl_->guarded(long_statement,
                 [&] { impl_->each_line([&](const ListedInteraction& line) { return visit(impl_->full(line)); }); });
}

}  // namespace tapedeck::cassettes
