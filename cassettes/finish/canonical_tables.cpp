#include "cassettes/finish/canonical_tables.h"

#include <algorithm>

#include "api/request_key.h"
#include "cassettes/file/interaction_id.h"
#include "cassettes/file/redactions.h"

namespace tapedeck::cassettes {

namespace {

/// Returns the time from the start to the first byte, or nothing if it is unknown.
std::optional<std::int64_t> time_to_first_byte(const scrubbers::InteractionRecord& record) {
  if (record.first_byte_us == 0) return std::nullopt;
  return std::clamp(record.first_byte_us, record.started_us, std::max(record.started_us, record.ended_us)) -
         record.started_us;
}

/// Returns the row of a text, and whether it is a new one. New texts are numbered from 1.
std::pair<std::int64_t, bool> row_of_text(Interned& known, std::string_view sha256) {
  std::array<char, 16> digest{};
  std::copy_n(sha256.begin(), digest.size(), digest.begin());
  const auto [found, is_new] = known.try_emplace(digest, static_cast<std::int64_t>(known.size()) + 1);
  return {found->second, is_new};
}

}  // namespace

CanonicalTables::CanonicalTables(SQLite::Database& database)
    : scope_(database, "INSERT INTO scope VALUES(?,?)"),
      scope_take_(database, "INSERT INTO scope_take VALUES(?,?,?,?,?)"),
      session_(database, "INSERT INTO session VALUES(?,?,?,?,?,?,?)"),
      mark_(database, "INSERT INTO mark VALUES(?,?,?,?)"),
      key_(database, "INSERT INTO key VALUES(?,?,?,?,?,?,?,?,?,?,?)"),
      sequence_(database, "INSERT INTO sequence VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
      entry_(database, "INSERT INTO sequence_entry VALUES(?,?,?,?,?,?,?)"),
      headers_(database, "INSERT INTO headers VALUES(?,?)"),
      body_(database, "INSERT INTO body VALUES(?,?,?,?)"),
      interaction_(database, "INSERT INTO interaction VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
      event_(database, "INSERT INTO event VALUES(?,?,?,?)"),
      redaction_(database, "INSERT INTO redaction VALUES(?,?,?,?,?,?,?,?,?,?,?)") {}

void CanonicalTables::add_scope(std::uint32_t id, std::string_view name) { scope_.integer(id).text(name).run(); }

void CanonicalTables::add_scope_take(std::uint32_t scope, std::uint32_t take, std::uint32_t run, bool complete,
                                     std::uint32_t lanes) {
  scope_take_.integer(scope).integer(take).integer(run).integer(complete).integer(lanes).run();
}

void CanonicalTables::add_session(std::uint32_t take, std::uint32_t scope, std::uint32_t number, std::uint32_t account,
                                  const SessionSpan& span) {
  session_.integer(take).integer(scope).integer(number).integer(account);
  session_.integer(span.lane).integer(span.first_us).integer(span.last_us).run();
}

void CanonicalTables::add_mark(std::uint32_t take, std::uint32_t number, std::int64_t at_us, std::string_view name) {
  mark_.integer(take).integer(number).integer(at_us).text(name).run();
}

void CanonicalTables::add_key(const KeyRow& row) {
  const api::RequestKey key = api::RequestKey::parse(row.text);
  const auto kind = row.is_part ? KeyKind::part : key.is_call ? KeyKind::call : KeyKind::other;
  key_.integer(++keys_).integer(row.scope).integer(static_cast<int>(kind)).text(key.prefix);
  key_.text(key.api.label).text(key.api.rest).text(key.version).text(key.method).text(key.item_text());
  key_.integer(row.has_holes).text(row.text).run();
}

void CanonicalTables::add_sequence(const SequenceRow& row) {
  const auto played = std::span(row.entries).first(row.count);
  const SequenceEntry& first = row.entries.front();
  const auto succeeds = [](const SequenceEntry& entry) { return entry.succeeded; };
  const auto in_another = [&](const SequenceEntry& entry) { return entry.session != first.session; };
  sequence_.integer(++sequences_).integer(static_cast<int>(row.kind)).integer(row.key).text(row.conditions);
  sequence_.text(row.secrets);
  sequence_.integer(row.take).integer(row.lane).integer(row.count).integer(row.passed_over).integer(row.hidden);
  sequence_.integer(std::any_of(played.begin(), played.end(), succeeds));
  sequence_.integer(std::any_of(played.begin(), played.end(), in_another)).integer(row.is_ambiguous);
  sequence_.optional(first.error_code).run();
  std::int64_t position = 0;
  for (const SequenceEntry& entry : row.entries) {
    entry_.integer(sequences_).integer(position++).integer(entry.interaction).integer(entry.place);
    entry_.integer(entry.segment).integer(entry.divides).optional(entry.error_code).run();
  }
}

std::int64_t CanonicalTables::header_set(const http::Headers& headers) {
  if (headers.empty()) return 0;
  const std::string text = headers.to_text();
  const auto [row, is_new] = row_of_text(header_sets_, sha256_bytes(text));
  if (is_new) headers_.integer(row).any(text).run();
  return row;
}

std::int64_t CanonicalTables::body(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const std::string sha256 = sha256_bytes(bytes);
  const auto [row, is_new] = row_of_text(bodies_, sha256);
  if (is_new) body_.integer(row).integer(static_cast<std::int64_t>(bytes.size())).blob(sha256).any(bytes).run();
  return row;
}

void CanonicalTables::add_events(const scrubbers::InteractionRecord& record) {
  api::StreamEvent last{record.started_us, 0};
  std::int64_t number = 0;
  for (const api::StreamEvent& event : record.events) {
    if (event.at_us < last.at_us || event.end < last.end) continue;
    if (number == static_cast<std::int64_t>(api::most_stream_events)) break;
    event_.integer(interactions_).integer(++number).integer(event.at_us - last.at_us);
    event_.integer(static_cast<std::int64_t>(event.end - last.end)).run();
    last = event;
  }
}

void CanonicalTables::add_redactions(const scrubbers::InteractionRecord& record) {
  for (const scrubbers::Redaction& redaction : record.redactions) {
    add_redaction(redaction_.integer(interactions_), redaction);
  }
}

void CanonicalTables::add(const Place& place, const scrubbers::InteractionRecord& record) {
  const http::Request& request = record.request;
  const http::Response& response = record.response;
  const std::int64_t request_headers = header_set(request.headers), request_body = body(request.body);
  const std::int64_t headers = header_set(response.headers), response_body = body(response.body);
  interaction_.integer(++interactions_).blob(place.name).integer(place.take).integer(place.ord).integer(place.lane);
  interaction_.integer(record.session).integer(record.account).integer(place.key).integer(place.position);
  interaction_.text(request.method).any(request.target).integer(request.minor_version);
  interaction_.integer(request_headers).integer(request_body);
  interaction_.integer(response.status).any(response.reason).integer(headers).integer(response_body);
  interaction_.optional(place.error_code).integer(static_cast<int>(record.effect));
  interaction_.integer(static_cast<int>(record.completeness)).text(record.reason).text(record.withheld_digest);
  interaction_.integer(static_cast<std::int64_t>(record.withheld_bytes)).integer(record.ended_by_client);
  interaction_.integer(record.started_us).optional(time_to_first_byte(record));
  interaction_.integer(record.ended_us - record.started_us).run();
  add_events(record);
  add_redactions(record);
}

}  // namespace tapedeck::cassettes
