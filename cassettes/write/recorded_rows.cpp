#include "cassettes/write/recorded_rows.h"

#include <algorithm>
#include <vector>

#include "cassettes/file/format.h"
#include "cassettes/file/rows.h"

namespace tapedeck::cassettes {

RecordedWriter::RecordedWriter(SQLite::Database& database)
    : interaction_(
          database,
          "INSERT INTO recorded(n, socket, message, generation, scope, run, session, account, effect, completeness,"
          " ended_by_client, minor_version, status, withheld_bytes, started_us, first_byte_us, ended_us, verb,"
          " phrase, reason, withheld_digest, has_holes, key, target, request_headers, response_headers,"
          " request_body, response_body) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
      note_(database, "INSERT INTO note(at_us, kind, name, run) VALUES(?,?,?,?)"),
      details_(database) {}

void RecordedWriter::append(std::uint64_t generation, const scrubbers::InteractionRecord& record,
                            const SocketPlace& place) {
  const std::string request_headers = record.request.headers.to_text();
  const std::string response_headers = record.response.headers.to_text();
  ++row_;
  details_.write(row_, record);
  const Rows rows(interaction_);
  interaction_.integer(row_).integer(place.socket).integer(place.message);
  interaction_.integer(static_cast<std::int64_t>(generation)).text(record.scope).integer(record.run);
  interaction_.integer(record.session).integer(record.account);
  interaction_.integer(static_cast<int>(record.effect)).integer(static_cast<int>(record.completeness));
  interaction_.integer(record.ended_by_client).integer(record.request.minor_version);
  interaction_.integer(record.response.status).integer(static_cast<std::int64_t>(record.withheld_bytes));
  interaction_.integer(record.started_us).integer(record.first_byte_us).integer(record.ended_us);
  interaction_.text(record.request.method).any(record.response.reason).text(record.reason);
  interaction_.text(record.withheld_digest).integer(record.key.has_holes).text(record.key.text);
  interaction_.any(record.request.target).any(request_headers).any(response_headers);
  interaction_.any(record.request.body).any(record.response.body).run();
  if (record.account_checks) {
    append(TakeEvent{TakeEvent::Kind::accounts, record.ended_us, record.account_checks->to_text(), record.run});
  }
}

void RecordedWriter::append(const TakeEvent& note) {
  Rows rows(note_);
  note_.integer(note.at_us).integer(static_cast<int>(note.kind)).text(note.name).integer(note.run).run();
}

RecordedReader::RecordedReader(SQLite::Database& database)
    : interaction_(database, select_shared("key, request_headers, response_headers, request_body, response_body,"
                                           " ended_us, first_byte_us, scope, run, socket FROM recorded WHERE n = ?")),
      messages_(database, "SELECT n FROM recorded WHERE socket = ? AND socket > 0 AND message > 0 ORDER BY message"),
      details_(database) {}

scrubbers::InteractionRecord RecordedReader::record(std::int64_t n) {
  std::int64_t socket = 0;
  scrubbers::InteractionRecord record = row(n, socket);
  if (socket != 0) add_messages(record, socket);
  return record;
}

void RecordedReader::add_messages(scrubbers::InteractionRecord& opening, std::int64_t socket) {
  std::vector<std::int64_t> numbers;
  {
    Rows rows(messages_);
    messages_.integer(socket);
    while (messages_.step()) numbers.push_back(messages_.number(0));
  }
  std::string& body = opening.response.body;
  body = "[";
  for (const std::int64_t n : numbers) {
    std::int64_t same = 0;
    const scrubbers::InteractionRecord message = row(n, same);
    body += body.size() > 1 ? ",\n" : "\n";
    if (body.size() + message.response.body.size() > largest_body) throw Damage("a WebSocket has too many messages");
    append_body(opening, message);
    opening.ended_us = std::max(opening.ended_us, message.ended_us);
  }
  body += "\n]\n";
}

scrubbers::InteractionRecord RecordedReader::row(std::int64_t n, std::int64_t& socket) {
  Rows rows(interaction_);
  if (!interaction_.integer(n).step()) throw Damage("a recorded interaction is missing");
  const Query& row = interaction_;
  constexpr int next = after_shared;
  scrubbers::InteractionRecord record = shared_columns_of(row);
  record.key.text = row.string(next);
  record.request.headers = http::Headers::from_text(row.bytes(next + 1));
  record.response.headers = http::Headers::from_text(row.bytes(next + 2));
  record.request.body = row.string(next + 3);
  record.response.body = row.string(next + 4);
  record.ended_us = row.number(next + 5, -largest_time, largest_time);
  record.first_byte_us = row.number(next + 6, -largest_time, largest_time);
  record.scope = row.string(next + 7);
  record.run = row.small(next + 8);
  socket = row.small(next + 9);
  details_.read(n, record);
  return record;
}

}  // namespace tapedeck::cassettes
