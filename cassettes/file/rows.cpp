#include "cassettes/file/rows.h"

#include "cassettes/file/format.h"
#include "scan/leak_scan.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t most_takes = 1'000'000;
constexpr std::string_view allowed_prefix = "allowed:";

}  // namespace

std::vector<Take> read_takes(SQLite::Database& database) {
  std::vector<Take> takes;
  Query query(database,
              "SELECT id, name, started_us, ended_us, tool, key_policy, scrub_policy, base_path, device, note,"
              " model, firmware, finished, verified, account_key FROM take ORDER BY id");
  while (query.step()) {
    if (takes.size() == most_takes) throw Damage("it has too many takes");
    Take take;
    take.number = query.small(0);
    take.id = query.string(1);
    if (take.id.size() != take_name_size) throw Damage("the name of a take has the wrong length");
    take.started_us = query.number(2, -largest_time, largest_time);
    take.ended_us = query.number(3, -largest_time, largest_time);
    take.tool_version = query.string(4);
    take.key_policy = static_cast<int>(query.number(5, 1, 1'000'000));
    take.scrub_policy = query.string(6);
    take.base_path = query.string(7);
    take.device = query.string(8);
    take.note = query.string(9);
    take.model = query.string(10);
    take.firmware = query.string(11);
    take.finished = query.flag(12);
    take.verified = query.flag(13);
    if (!query.is_null(14))
      take.account_key = static_cast<std::uint64_t>(query.number(14, 0, scrubbers::largest_account_key));
    takes.push_back(std::move(take));
  }
  return takes;
}

void insert_take(SQLite::Database& database, const Take& take) {
  Query query(database, "INSERT INTO take VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  query.integer(take.number).blob(take.id).integer(take.started_us).integer(take.ended_us).text(take.tool_version);
  query.integer(take.key_policy).text(take.scrub_policy).text(take.base_path);
  query.text(take.device).text(take.note).text(take.model).text(take.firmware);
  query.integer(take.finished).integer(take.verified);
  query.optional(take.account_key ? std::optional(static_cast<std::int64_t>(*take.account_key)) : std::nullopt);
  query.run();
}

std::string select_shared(std::string_view rest) {
  std::string sql =
      "SELECT session, account, effect, completeness, ended_by_client, minor_version, status, withheld_bytes,"
      " started_us, verb, phrase, reason, withheld_digest, has_holes, target, ";
  return sql.append(rest);
}

scrubbers::InteractionRecord shared_columns_of(const Query& row) {
  scrubbers::InteractionRecord record;
  record.session = row.small(0);
  record.account = row.small(1);
  record.effect = static_cast<api::Effect>(row.number(2, 0, 2));
  record.completeness = static_cast<api::Completeness>(row.number(3, 0, 2));
  record.ended_by_client = row.flag(4);
  record.request.minor_version = static_cast<int>(row.number(5, 0, 9));
  record.response.status = static_cast<int>(row.number(6, 0, 999));
  record.withheld_bytes = static_cast<std::uint64_t>(row.number(7, 0, INT64_MAX));
  record.started_us = row.number(8, -largest_time, largest_time);
  record.request.method = row.string(9);
  record.response.reason = row.string(10);
  record.reason = row.string(11);
  record.withheld_digest = row.string(12);
  record.key.has_holes = row.flag(13);
  record.request.target = row.string(14);
  return record;
}

DetailRows::DetailRows(SQLite::Database& database)
    : add_event_(database, "INSERT INTO event VALUES(?,?,?,?)"),
      add_redaction_(database, "INSERT INTO redaction VALUES(?,?,?,?,?,?,?,?,?,?,?)"),
      events_(database, "SELECT after_us, bytes FROM event WHERE interaction = ? ORDER BY number"),
      redactions_(database,
                  "SELECT part, offset, length, class, whose, owner, number, encoding, shape, rule FROM redaction"
                  " WHERE interaction = ? AND part >= ? ORDER BY part, offset") {}

void DetailRows::write(std::int64_t interaction, const scrubbers::InteractionRecord& record) {
  write_events(interaction, record);
  for (const scrubbers::Redaction& redaction : record.redactions) {
    const Rows ready(add_redaction_);
    const std::string encoding = scrubbers::to_string(redaction.encoding);
    add_redaction_.integer(interaction).integer(static_cast<int>(redaction.part));
    add_redaction_.integer(static_cast<std::int64_t>(redaction.offset));
    add_redaction_.integer(static_cast<std::int64_t>(redaction.length));
    add_redaction_.text(scrubbers::to_string(redaction.secret_class)).integer(static_cast<int>(redaction.whose));
    add_redaction_.integer(redaction.owner).integer(redaction.ordinal);
    add_redaction_.text(encoding).text(redaction.shape).text(redaction.rule).run();
  }
}

void DetailRows::write_events(std::int64_t interaction, const scrubbers::InteractionRecord& record) {
  api::StreamEvent last{record.started_us, 0};
  std::int64_t number = 0;
  for (const api::StreamEvent& event : record.events) {
    if (event.at_us < last.at_us || event.end < last.end) continue;
    if (number == static_cast<std::int64_t>(api::most_stream_events)) break;
    const Rows ready(add_event_);
    add_event_.integer(interaction).integer(++number).integer(event.at_us - last.at_us);
    add_event_.integer(static_cast<std::int64_t>(event.end - last.end)).run();
    last = event;
  }
}

void DetailRows::read(std::int64_t interaction, scrubbers::InteractionRecord& record) {
  read_events(interaction, record);
  record.redactions = redactions(interaction, scrubbers::Part::request_target);
  check_redactions(record);
}

void DetailRows::read_events(std::int64_t interaction, scrubbers::InteractionRecord& record) {
  api::StreamEvent last{record.started_us, 0};
  const Rows ready(events_);
  events_.integer(interaction);
  while (events_.step()) {
    if (record.events.size() == api::most_stream_events) throw Damage("a stream has too many events");
    last.at_us += events_.number(0, 0, largest_time);
    if (last.at_us > 2 * largest_time) throw Damage("the time of a stream event is out of range");
    last.end += static_cast<std::uint64_t>(
        events_.number(1, 0, static_cast<std::int64_t>(record.response.body.size() - last.end)));
    record.events.push_back(last);
  }
}

std::vector<scrubbers::Redaction> DetailRows::redactions(std::int64_t interaction, scrubbers::Part first_part) {
  std::vector<scrubbers::Redaction> redactions;
  Query& row = redactions_;
  const Rows ready(row);
  row.integer(interaction).integer(static_cast<int>(first_part));
  while (row.step()) {
    scrubbers::Redaction& redaction = redactions.emplace_back();
    redaction.part = static_cast<scrubbers::Part>(row.number(0, 0, static_cast<int>(scrubbers::Part::response_body)));
    redaction.offset = row.small(1);
    redaction.length = row.small(2);
    const auto secret_class = scrubbers::secret_class_from(row.bytes(3));
    if (!secret_class) throw Damage("a redaction has an unknown class");
    redaction.secret_class = *secret_class;
    redaction.whose = static_cast<scrubbers::Whose>(row.number(4, 0, static_cast<int>(scrubbers::Whose::another)));
    redaction.owner = row.small(5);
    redaction.ordinal = row.small(6);
    auto encoding = scrubbers::parse_encoding(row.bytes(7));
    if (!encoding) throw Damage("a redaction has an unknown encoding");
    redaction.encoding = *std::move(encoding);
    redaction.shape = row.string(8);
    redaction.rule = row.string(9);
  }
  return redactions;
}

void check_redactions(const std::vector<scrubbers::Redaction>& redactions, const PartSizes& sizes) {
  const scrubbers::Redaction* before = nullptr;
  for (const scrubbers::Redaction& redaction : redactions) {
    const std::uint64_t size = sizes.of[static_cast<std::size_t>(redaction.part)];
    if (redaction.offset > size || redaction.length > size - redaction.offset) {
      throw Damage("a redaction is outside its text");
    }
    if (before && (redaction.part < before->part ||
                   (redaction.part == before->part &&
                    (redaction.offset <= before->offset || redaction.offset < before->offset + before->length)))) {
      throw Damage("redactions overlap");
    }
    before = &redaction;
  }
}

void check_redactions(const scrubbers::InteractionRecord& record) {
  if (record.redactions.empty()) return;
  const http::Request& request = record.request;
  const http::Response& response = record.response;
  check_redactions(record.redactions,
                   {{request.target.size(), request.headers.to_text().size(), request.body.size(),
                     response.reason.size(), response.headers.to_text().size(), response.body.size()}});
}

std::optional<std::uint8_t> check_in(const Query& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return static_cast<std::uint8_t>(row.number(column, 0, UINT8_MAX));
}

Fingerprints read_allowed(SQLite::Database& database) {
  Fingerprints allowed;
  Query query(database, "SELECT name, value FROM meta ORDER BY name");
  while (query.step()) {
    const std::string_view name = query.bytes(0);
    const bool known = name.starts_with(allowed_prefix) && scan::is_fingerprint(name.substr(allowed_prefix.size()));
    if (!known || !query.bytes(1).empty()) throw Damage("its table meta has an unknown entry");
    if (allowed.size() == most_allowed) throw Damage("it allows too many findings");
    allowed.emplace(name.substr(allowed_prefix.size()));
  }
  return allowed;
}

void insert_allowed(SQLite::Database& database, const Fingerprints& allowed) {
  Query query(database, "INSERT INTO meta VALUES(?, '')");
  for (const std::string& fingerprint : allowed) {
    const std::string name = std::string(allowed_prefix) + fingerprint;
    query.text(name).run();
  }
}

}  // namespace tapedeck::cassettes
