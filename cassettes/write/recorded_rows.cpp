#include "cassettes/write/recorded_rows.h"

#include <sqlite3.h>

#include <memory>
#include <stdexcept>

#include "cassettes/file/redaction_codec.h"
#include "cassettes/file/schema.h"

namespace tapedeck::cassettes {

namespace {

/// SQLite makes one piece of a row before it writes it. The bytes of longer bodies are written into the row instead.
constexpr std::size_t long_body = 8u << 20;

}  // namespace

RecordedWriter::RecordedWriter(SQLite::Database& database)
    : database_(database),
      insert_(database,
              "INSERT INTO recorded(take, generation, scope, run, session, account, effect, completeness,"
              " ended_by_client, minor_version, status, withheld_bytes, started_us, first_byte_us, ended_us, verb,"
              " phrase, reason, withheld_digest, has_holes, key, target, request_headers, response_headers, redactions,"
              " events, request_body, response_body)"
              " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
      event_(database, "INSERT INTO recorded_event(take, at_us, kind, name, run) VALUES(?,?,?,?,?)"),
      remove_(database, "DELETE FROM recorded WHERE n = ?") {}

void RecordedWriter::append(std::uint32_t take, std::uint64_t generation, const scrubbers::InteractionRecord& record) {
  const std::string request_headers = record.request.headers.to_text();
  const std::string response_headers = record.response.headers.to_text();
  const std::string redactions = pack(record.redactions);
  const std::string events = pack_events(record.events, record.started_us);
  Rows rows(insert_);
  insert_.integer(take).integer(static_cast<std::int64_t>(generation)).text(record.scope).integer(record.run);
  insert_.integer(record.session).integer(record.account);
  insert_.integer(static_cast<int>(record.effect)).integer(static_cast<int>(record.completeness));
  insert_.integer(record.ended_by_client).integer(record.request.minor_version).integer(record.response.status);
  insert_.integer(static_cast<std::int64_t>(record.withheld_bytes));
  insert_.integer(record.started_us).integer(record.first_byte_us).integer(record.ended_us);
  insert_.blob(record.request.method).blob(record.response.reason).blob(record.reason);
  insert_.text(record.withheld_digest).integer(record.key.has_holes).text(record.key.text);
  insert_.blob(record.request.target).blob(request_headers).blob(response_headers).blob(redactions).blob(events);
  const std::string &sent = record.request.body, &answered = record.response.body;
  if (sent.size() + answered.size() <= long_body) {
    insert_.blob(sent).blob(answered).run();
    return;
  }
  insert_.zeros(sent.size()).zeros(answered.size()).run();
  const std::int64_t row = database_.getLastInsertRowid();
  try {
    write_into("request_body", row, sent);
    write_into("response_body", row, answered);
  } catch (const SQLite::Exception& error) {
    Rows removing(remove_);
    // A row without its bytes may not stay; if it cannot go, nothing of its transaction may stay.
    try {
      remove_.integer(row).run();
    } catch (const SQLite::Exception&) {
      throw std::runtime_error(error.what());
    }
    throw;
  }
}

void RecordedWriter::write_into(const char* column, std::int64_t row, std::string_view bytes) {
  if (bytes.empty()) return;
  sqlite3* const handle = database_.getHandle();
  sqlite3_blob* opened = nullptr;
  int code = sqlite3_blob_open(handle, "main", "recorded", column, row, 1, &opened);
  const std::unique_ptr<sqlite3_blob, decltype(&sqlite3_blob_close)> blob(opened, &sqlite3_blob_close);
  if (code == SQLITE_OK) code = sqlite3_blob_write(opened, bytes.data(), static_cast<int>(bytes.size()), 0);
  if (code != SQLITE_OK) throw SQLite::Exception(handle, code);
}

void RecordedWriter::tell(std::uint32_t take, const TakeEvent& event) {
  Rows rows(event_);
  event_.integer(take).integer(event.at_us).integer(static_cast<int>(event.kind)).text(event.name).integer(event.run);
  event_.run();
}

RecordedReader::RecordedReader(SQLite::Database& database)
    : select_(database,
              "SELECT session, account, effect, completeness, minor_version, status, withheld_bytes, started_us,"
              " ended_us, verb, phrase, reason, withheld_digest, has_holes, key, target, request_headers,"
              " response_headers, redactions, request_body, response_body, scope, run, ended_by_client, first_byte_us,"
              " events FROM recorded WHERE n = ?") {}

scrubbers::InteractionRecord RecordedReader::record(std::int64_t n, bool with_answer_body) {
  Rows rows(select_);
  if (!select_.integer(n).step()) throw Damage("a recorded interaction is not there");
  scrubbers::InteractionRecord record;
  record.session = select_.small(0);
  record.account = select_.small(1);
  record.effect = static_cast<api::Effect>(select_.number(2, 0, 2));
  record.completeness = static_cast<api::Completeness>(select_.number(3, 0, 2));
  record.request.minor_version = static_cast<int>(select_.number(4, 0, 9));
  record.response.status = static_cast<int>(select_.number(5, 0, 999));
  record.withheld_bytes = static_cast<std::uint64_t>(select_.number(6, 0, INT64_MAX));
  record.started_us = select_.number(7, -largest_time, largest_time);
  record.ended_us = select_.number(8, -largest_time, largest_time);
  record.request.method = select_.string(9);
  record.response.reason = select_.string(10);
  record.reason = select_.string(11);
  record.withheld_digest = select_.string(12);
  record.key.text = select_.string(14);
  record.key.has_holes = select_.flag(13);
  record.request.target = select_.string(15);
  record.request.headers = http::Headers::from_text(select_.bytes(16));
  record.response.headers = http::Headers::from_text(select_.bytes(17));
  record.redactions = unpack(select_.bytes(18));
  record.request.body = select_.string(19);
  if (with_answer_body) record.response.body = select_.string(20);
  record.scope = select_.string(21);
  record.run = select_.small(22);
  record.ended_by_client = select_.flag(23);
  record.first_byte_us = select_.number(24, -largest_time, largest_time);
  record.events = unpack_events(select_.bytes(25), record.started_us, select_.bytes(20).size());
  PartSizes sizes;
  constexpr int text_columns[] = {15, 16, 19, 10, 17, 20};
  for (std::size_t part = 0; part < 6; ++part) sizes.of[part] = select_.bytes(text_columns[part]).size();
  check_redactions(record.redactions, sizes);
  return record;
}

}  // namespace tapedeck::cassettes
