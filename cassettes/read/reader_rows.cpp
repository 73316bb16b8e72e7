// The statements of CassetteReader, and what it reads row after row.

#include "base/digest.h"
#include "cassettes/file/allowed_findings.h"
#include "cassettes/file/interaction_id.h"
#include "cassettes/file/takes.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t most_labels = 10'000;

constexpr const char* lines_between =
    "SELECT i.id, i.digest, i.take, i.session, r.verb, i.status, i.error_code, i.body_size, i.redactions,"
    " i.completeness, i.effect, i.started_us, i.duration_us, i.reason, k.text, i.lane, i.position,"
    " i.ord, i.ended_by_client, i.first_byte_us, ifnull(s.name, '')"
    " FROM interaction i CROSS JOIN request r CROSS JOIN key k LEFT JOIN scope s ON s.id = k.scope"
    " WHERE i.id BETWEEN ? AND ? AND r.id = i.request AND k.id = r.key ORDER BY i.id";

/// In the order of reader_lookup.cpp.
constexpr const char* head_columns =
    "key_hash, sequences, take, lane, position, count, passed_over, hidden, succeeded, many_sessions, number,"
    " error_code";
constexpr const char* answer_columns =
    ", digest, status, phrase, headers, body, segment, played, redacted_parts,"
    " started_us, divides, body_encoding, body_size, body_bytes";

std::string one_row(const std::string& columns) { return "SELECT " + columns + " FROM interaction WHERE id = ?"; }

}  // namespace

ReaderQueries::ReaderQueries(SQLite::Database& database)
    : head(database, one_row(head_columns)),
      row(database, one_row(std::string(head_columns) + answer_columns)),
      segments(database, "SELECT segment FROM interaction WHERE id >= ? AND id < ? ORDER BY id"),
      asides(database,
             "SELECT id, take, lane, count, succeeded, many_sessions, error_code FROM aside WHERE key_hash = ?"
             " AND count > 0 ORDER BY id"),
      aside(database, "SELECT interaction, place, segment, divides FROM aside WHERE id = ?"),
      aside_segments(database, "SELECT segment FROM aside WHERE id >= ? AND id < ? ORDER BY id"),
      operations_of_api(database, "SELECT 1 FROM operation WHERE rest = ? AND is_call = 1 LIMIT 1"),
      keys_of_operation(database,
                        "SELECT k.text, k.has_holes FROM operation o CROSS JOIN key k"
                        " WHERE o.rest = ? AND o.method = ? AND o.is_call = ? AND k.operation = o.id"
                        " AND k.scope = ? ORDER BY k.id LIMIT ?"),
      operations(database,
                 "SELECT DISTINCT label, rest, version, method FROM operation WHERE is_call = 1"
                 " ORDER BY label, rest, version, method"),
      interaction_by_digest(database, "SELECT id FROM interaction WHERE digest >= ? AND digest <= ? LIMIT 2"),
      line(database, lines_between),
      scope_takes(database,
                  "SELECT take, run, complete, lanes FROM scope_take WHERE scope = ? ORDER BY scope, take DESC"),
      scope_id(database, "SELECT id FROM scope WHERE name = ?"),
      scopes_of_key(database,
                    "SELECT s.name FROM operation o CROSS JOIN key k CROSS JOIN scope s"
                    " WHERE o.rest = ? AND o.method = ? AND k.operation = o.id AND k.text = ? AND s.id = k.scope"
                    " ORDER BY k.id LIMIT ?"),
      sessions(database, "SELECT number, account, lane FROM session WHERE take = ? AND scope = ? ORDER BY number"),
      scoped_keys(database,
                  "SELECT k.text, k.has_holes, s.name FROM operation o CROSS JOIN key k CROSS JOIN scope s"
                  " WHERE o.rest = ? AND o.method = ? AND o.is_call = ? AND k.operation = o.id AND s.id = k.scope"
                  " ORDER BY k.id LIMIT ?"),
      turns(database, "SELECT account, ord, error_code FROM interaction WHERE id >= ? AND id < ? ORDER BY id"),
      aside_turns(database,
                  "SELECT i.account, i.ord, a.error_code FROM aside a CROSS JOIN interaction i"
                  " WHERE a.id >= ? AND a.id < ? AND i.id = a.interaction ORDER BY a.id") {}

void CassetteReader::Impl::load_info() {
  const std::vector<TakeRow> takes = read_takes(*database);
  for (const TakeRow& take : takes) {
    info.takes.push_back({take.number, base::to_hex(take.id), take.started_us, take.ended_us, take.tool_version,
                          take.note, take.model, take.firmware, take.verified});
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
  // The last one's number; counting would read every page.
  Query last(*database, "SELECT number FROM interaction ORDER BY id DESC LIMIT 1");
  if (last.step()) info.interactions = static_cast<std::uint64_t>(last.number(0, 1, INT64_MAX >> 1));
  Query labels(*database, "SELECT DISTINCT label FROM operation WHERE is_call = 1 AND label <> '' ORDER BY label");
  while (labels.step()) {
    if (info.labels.size() == most_labels) throw Damage("it has too many API labels");
    info.labels.push_back(labels.string(0));
  }
}

ListedInteraction CassetteReader::Impl::line_at(const Query& row) {
  ListedInteraction line;
  line.interaction = row.number(0);
  line.id = base::to_hex(row.bytes(1));
  line.take = row.small(2);
  line.session = row.small(3);
  line.verb = rows.word(row.small(4));
  line.status = static_cast<int>(row.number(5, 0, 999));
  line.error_code = error_code_in(row, 6);
  line.body_bytes = static_cast<std::uint64_t>(row.number(7, 0, static_cast<std::int64_t>(largest_body)));
  line.redactions = row.small(8);
  line.completeness = static_cast<api::Completeness>(row.number(9, 0, 2));
  line.effect = static_cast<api::Effect>(row.number(10, 0, 2));
  line.started_us = row.number(11, -largest_time, largest_time);
  line.ended_us = line.started_us + row.number(12, -largest_time, largest_time);
  line.reason = rows.word(row.small(13));
  line.key = row.string(14);
  line.lane = row.small(15);
  line.position = row.small(16);
  line.ord = row.small(17);
  line.ended_by_client = row.flag(18);
  if (!row.is_null(19)) line.first_byte_us = line.started_us + row.number(19, 0, largest_time);
  line.scope = row.string(20);
  return line;
}

FullInteraction CassetteReader::Impl::full(std::int64_t interaction) {
  FullInteraction full;
  {
    Rows scope(queries.line);
    if (!queries.line.integer(interaction).integer(interaction).step()) throw Damage("an interaction is not there");
    full.line = line_at(queries.line);
  }
  const std::int64_t first = first_row(key_hash(full.line.key, full.line.scope));
  if (interaction < first || interaction - first >= most_places) {
    throw Damage("an interaction does not stand under its key");
  }
  full.record = rows.record(interaction);
  const bool has_holes = full.record.key.has_holes;
  full.record.key = api::RequestKey::parse(full.line.key);
  full.record.key.has_holes = has_holes;
  return full;
}

void CassetteReader::Impl::each_sequence(const std::function<bool(const KeyName& key, const SequenceInfo&)>& visit) {
  std::uint64_t interactions = 0;
  Query keys(*database,
             "SELECT k.text, ifnull(s.name, '') FROM key k LEFT JOIN scope s ON s.id = k.scope ORDER BY k.id");
  while (keys.step()) {
    const KeyName key{keys.string(1), keys.string(0)};
    const std::vector<SequenceInfo> sequences = sequences_of(key_hash(key.text, key.scope)).sequences;
    if (sequences.empty()) throw Damage("a key has no interactions");
    for (const SequenceInfo& sequence : sequences) {
      interactions += static_cast<std::uint64_t>(sequence.rows());
      if (!visit(key, sequence)) return;
    }
  }
  if (interactions != info.interactions) throw Damage("an interaction is not there");
}

void CassetteReader::list(const std::function<bool(const ListedInteraction&)>& visit) const {
  impl_->guarded(long_statement, [&] {
    Query lines(*impl_->database, lines_between);
    impl_->each_sequence([&](const Impl::KeyName& key, const SequenceInfo& sequence) {
      Rows scope(lines);
      lines.integer(sequence.id).integer(sequence.id + sequence.rows() - 1);
      std::uint32_t position = 0;
      while (lines.step()) {
        const ListedInteraction line = impl_->line_at(lines);
        if (line.interaction != sequence.id + position || line.position != position || line.key != key.text ||
            line.scope != key.scope || line.take != sequence.take || line.lane != sequence.lane) {
          throw Damage("an interaction is not in its sequence");
        }
        if (!visit(line)) return false;
        ++position;
        impl_->deadline.arm(long_statement);
      }
      if (position != sequence.rows()) throw Damage("an interaction is not there");
      return true;
    });
  });
}

void CassetteReader::each(const std::function<bool(const FullInteraction&)>& visit) const {
  impl_->guarded(long_statement, [&] {
    impl_->each_sequence([&](const Impl::KeyName&, const SequenceInfo& sequence) {
      for (std::int64_t row = sequence.id; row < sequence.id + sequence.rows(); ++row) {
        if (!visit(impl_->full(row))) return false;
        impl_->deadline.arm(long_statement);
      }
      return true;
    });
  });
}

}  // namespace tapedeck::cassettes
