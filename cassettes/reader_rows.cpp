// The statements of CassetteReader, and what it reads row after row.

#include <set>

#include "cassettes/allowed_findings.h"
#include "cassettes/interaction_id.h"
#include "cassettes/reader_state.h"
#include "cassettes/takes.h"
#include "http/digest.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t most_labels = 10'000;

constexpr const char* lines_between =
    "SELECT i.id, i.digest, i.take, i.session, r.verb, i.status, i.error_code, i.body_size, i.redactions,"
    " i.completeness, i.effect, i.started_us, i.duration_us, i.reason, k.text"
    " FROM interaction i CROSS JOIN request r CROSS JOIN key k"
    " WHERE i.id BETWEEN ? AND ? AND r.id = i.request AND k.id = r.key ORDER BY i.id";

}  // namespace

ReaderQueries::ReaderQueries(SQLite::Database& database)
    : sequences(database,
                "SELECT take, lane, first, count, hidden, succeeded, many_sessions FROM sequence"
                " WHERE key_high = ? AND key_low = ?"),
      answer(database,
             "SELECT digest, status, phrase, headers, body, error_code, segment, effect, played, redacted_parts,"
             " body_encoding, body_size, body_bytes FROM interaction WHERE id = ?"),
      segments(database, "SELECT segment FROM interaction WHERE id >= ? AND id < ? ORDER BY id"),
      operations_of_api(database, "SELECT 1 FROM operation WHERE rest = ? AND is_call = 1 LIMIT 1"),
      keys_of_operation(database,
                        "SELECT k.text, k.has_holes FROM operation o CROSS JOIN key k"
                        " WHERE o.rest = ? AND o.method = ? AND o.is_call = 1 AND k.operation = o.id"
                        " ORDER BY k.id LIMIT ?"),
      operations(database,
                 "SELECT DISTINCT label, rest, version, method FROM operation WHERE is_call = 1"
                 " ORDER BY label, rest, version, method"),
      interaction_by_digest(database, "SELECT id FROM interaction WHERE digest >= ? AND digest <= ? LIMIT 2"),
      sequence_of(database,
                  "SELECT lane, first, first + count + passed_over + hidden FROM sequence"
                  " WHERE key_high = ? AND key_low = ? AND take = ? AND first <= ? ORDER BY lane DESC LIMIT 1"),
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
  line.body_bytes = static_cast<std::uint64_t>(row.number(7, 0, static_cast<std::int64_t>(largest_body)));
  line.redactions = row.small(8);
  line.completeness = static_cast<api::Completeness>(row.number(9, 0, 2));
  line.effect = static_cast<api::Effect>(row.number(10, 0, 2));
  line.started_us = row.number(11, -largest_time, largest_time);
  line.ended_us = line.started_us + row.number(12, -largest_time, largest_time);
  line.reason = rows.word(row.small(13));
  line.key = row.string(14);
  return line;
}

CassetteReader::Impl::Run CassetteReader::Impl::run_of(const ListedInteraction& line) {
  const KeyHash hash = key_hash(line.key);
  Query& row = queries.sequence_of;
  Rows scope(row);
  row.integer(hash.high).integer(hash.low).integer(line.take).integer(line.interaction);
  if (!row.step()) throw Damage("an interaction is in no sequence");
  const Run run{row.small(0), row.number(1, 1, line.interaction), row.number(2)};
  if (run.end <= line.interaction) throw Damage("an interaction is in no sequence");
  return run;
}

FullInteraction CassetteReader::Impl::full(std::int64_t interaction) {
  FullInteraction full;
  {
    Rows scope(queries.line);
    if (!queries.line.integer(interaction).integer(interaction).step()) throw Damage("an interaction is not there");
    full.line = line_at(queries.line);
  }
  const Run run = run_of(full.line);
  full.line.lane = run.lane;
  full.line.position = static_cast<std::uint32_t>(interaction - run.first);
  full.record = rows.record(interaction);
  const bool has_holes = full.record.key.has_holes;
  full.record.key = api::RequestKey::parse(full.line.key);
  full.record.key.has_holes = has_holes;
  return full;
}

void CassetteReader::list(const std::function<bool(const ListedInteraction&)>& visit) const {
  impl_->guarded(long_statement, [&] {
    Query lines(*impl_->database, lines_between);
    lines.integer(1).integer(static_cast<std::int64_t>(impl_->info.interactions));
    Impl::Run run;
    std::string key;
    std::uint32_t take = 0;
    std::int64_t next = 1;
    while (lines.step()) {
      ListedInteraction line = impl_->line_at(lines);
      if (line.interaction != next++) throw Damage("an interaction is not there");
      const bool begins = line.interaction >= run.end;
      if (begins) {
        run = impl_->run_of(line);
        key = line.key;
        take = line.take;
      }
      if (begins ? run.first != line.interaction : line.key != key || line.take != take) {
        throw Damage("a sequence names an interaction of another key");
      }
      line.lane = run.lane;
      line.position = static_cast<std::uint32_t>(line.interaction - run.first);
      if (!visit(line)) return;
      impl_->deadline.arm(long_statement);
    }
    if (next != static_cast<std::int64_t>(impl_->info.interactions) + 1) throw Damage("an interaction is not there");
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
