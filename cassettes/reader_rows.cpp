// The statements of CassetteReader, and what it reads row after row.

#include <set>

#include "cassettes/allowed_findings.h"
#include "cassettes/reader_state.h"
#include "cassettes/takes.h"
#include "http/digest.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t most_labels = 10'000;

constexpr const char* lines_between =
    "SELECT i.id, i.digest, i.take, i.session, r.verb, i.status, i.error_code, i.body, i.redactions, i.completeness,"
    " i.effect, i.started_us, i.duration_us, i.reason, r.key FROM interaction i CROSS JOIN request r"
    " WHERE i.id BETWEEN ? AND ? AND r.id = i.request ORDER BY i.id";

constexpr const char* sequences_in_order =
    "SELECT s.key, s.lane, s.first, s.count + s.passed_over + s.hidden, s.take, k.text"
    " FROM sequence s CROSS JOIN key k WHERE k.id = s.key ORDER BY s.key, s.take, s.lane";

}  // namespace

ReaderQueries::ReaderQueries(SQLite::Database& database)
    : sequences_by_hash(database,
                        "SELECT s.take, s.lane, s.first, s.count, s.hidden, s.succeeded, s.many_sessions, k.text"
                        " FROM key k CROSS JOIN sequence s WHERE k.hash = ? AND s.key = k.id"),
      sequences_of_key(database,
                       "SELECT take, lane, first, count, hidden, succeeded, many_sessions FROM sequence"
                       " WHERE key = ?"),
      answer(database,
             "SELECT i.digest, i.status, i.phrase, i.headers, i.body, i.error_code, i.segment, i.effect, i.played,"
             " i.redacted_parts, b.encoding, b.size, b.bytes"
             " FROM interaction i LEFT JOIN body b ON b.id = i.body WHERE i.id = ?"),
      segments(database, "SELECT segment FROM interaction WHERE id >= ? AND id < ? ORDER BY id"),
      operations_of_api(database, "SELECT 1 FROM operation WHERE rest = ? AND is_call = 1 LIMIT 1"),
      keys_of_operation(database,
                        "SELECT k.id, k.text, k.has_holes FROM operation o CROSS JOIN key k"
                        " WHERE o.rest = ? AND o.method = ? AND o.is_call = 1 AND k.operation = o.id"
                        " ORDER BY k.id LIMIT ?"),
      operations(database,
                 "SELECT DISTINCT label, rest, version, method FROM operation WHERE is_call = 1"
                 " ORDER BY label, rest, version, method"),
      interaction_by_digest(database, "SELECT id FROM interaction WHERE digest >= ? AND digest <= ? LIMIT 2"),
      sequence_of(database,
                  "SELECT s.lane, s.first, k.text FROM sequence s CROSS JOIN key k"
                  " WHERE s.key = ? AND s.take = ? AND s.first <= ? AND k.id = s.key ORDER BY s.lane DESC LIMIT 1"),
      line(database, lines_between),
      take_lanes(database, "SELECT lanes FROM take WHERE number = ?") {}

void CassetteReader::Impl::load_info() {
  const std::vector<TakeRow> takes = read_takes(*database);
  for (const TakeRow& take : takes) {
    info.takes.push_back({take.number, take.started_us, take.ended_us, take.tool_version, take.verified});
    info.finished &= take.finished;
    info.verified &= take.verified;
  }
  if (!takes.empty()) {
    info.base_path = takes.back().base_path;
    info.key_policy = takes.back().key_policy;
    info.scrub_policy = takes.back().scrub_policy;
  }
  const Fingerprints allowed = read_allowed(*database);
  info.allowed.assign(allowed.begin(), allowed.end());
  // Row numbers have no gaps; counting would read every page.
  info.interactions =
      static_cast<std::uint64_t>(database->execAndGet("SELECT ifnull(max(id), 0) FROM interaction").getInt64());
  Query labels(*database, "SELECT DISTINCT label FROM operation WHERE is_call = 1 AND label <> '' ORDER BY label");
  while (labels.step()) {
    if (info.labels.size() == most_labels) throw Damage("it has too many API labels");
    info.labels.push_back(labels.string(0));
  }
}

ListedInteraction CassetteReader::Impl::line_at(const Query& row) {
  ListedInteraction line;
  line.interaction = row.number(0);
  line.id = http::to_hex(row.bytes(1));
  line.take = row.small(2);
  line.session = row.small(3);
  line.verb = rows.word(row.small(4));
  line.status = static_cast<int>(row.number(5, 0, 999));
  if (!row.is_null(6)) line.error_code = static_cast<int>(row.number(6, INT32_MIN, INT32_MAX));
  line.body_bytes = rows.body_size(row.small(7));
  line.redactions = row.small(8);
  line.completeness = static_cast<api::Completeness>(row.number(9, 0, 2));
  line.effect = static_cast<api::Effect>(row.number(10, 0, 2));
  line.started_us = row.number(11, -largest_time, largest_time);
  line.ended_us = line.started_us + row.number(12, -largest_time, largest_time);
  line.reason = rows.word(row.small(13));
  return line;
}

FullInteraction CassetteReader::Impl::full(std::int64_t interaction) {
  FullInteraction full;
  std::int64_t key = 0;
  {
    Rows scope(queries.line);
    if (!queries.line.integer(interaction).integer(interaction).step()) throw Damage("an interaction is not there");
    full.line = line_at(queries.line);
    key = queries.line.number(14);
  }
  Rows scope(queries.sequence_of);
  if (!queries.sequence_of.integer(key).integer(full.line.take).integer(interaction).step()) {
    throw Damage("an interaction is in no sequence");
  }
  full.line.lane = queries.sequence_of.small(0);
  full.line.position = static_cast<std::uint32_t>(interaction - queries.sequence_of.number(1, 1, interaction));
  full.line.key = queries.sequence_of.string(2);
  full.record = rows.record(interaction);
  const bool has_holes = full.record.key.has_holes;
  full.record.key = api::RequestKey::parse(full.line.key);
  full.record.key.has_holes = has_holes;
  return full;
}

void CassetteReader::list(const std::function<bool(const ListedInteraction&)>& visit) const {
  impl_->guarded(long_statement, [&] {
    Query sequences(*impl_->database, sequences_in_order);
    Query lines(*impl_->database, lines_between);
    while (sequences.step()) {
      const std::int64_t first = sequences.number(2, 1, INT64_MAX >> 1), count = sequences.number(3, 1, INT32_MAX);
      Rows scope(lines);
      lines.integer(first).integer(first + count - 1);
      while (lines.step()) {
        ListedInteraction line = impl_->line_at(lines);
        if (lines.number(14) != sequences.number(0)) throw Damage("a sequence names an interaction of another key");
        line.lane = sequences.small(1);
        line.key = sequences.string(5);
        line.position = static_cast<std::uint32_t>(line.interaction - first);
        if (!visit(line)) return;
        impl_->deadline.arm(long_statement);
      }
    }
  });
}

void CassetteReader::each(const std::function<bool(const FullInteraction&)>& visit) const {
  impl_->guarded(long_statement, [&] {
    const auto last = static_cast<std::int64_t>(impl_->info.interactions);
    for (std::int64_t interaction = 1; interaction <= last; ++interaction) {
      if (!visit(impl_->full(interaction))) return;
      impl_->deadline.arm(long_statement);
    }
  });
}

}  // namespace tapedeck::cassettes
