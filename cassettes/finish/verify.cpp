#include "cassettes/finish/verify.h"

#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

void check_counts(SQLite::Database& database, std::uint64_t interactions) {
  Query query(database,
              "SELECT (SELECT count(*) FROM interaction),"
              " (SELECT ifnull(sum(count + passed_over + hidden), 0) FROM sequence WHERE kind = 0),"
              " (SELECT ifnull(sum(count + passed_over + hidden), 0) FROM sequence) ="
              " (SELECT count(*) FROM sequence_entry),"
              " (SELECT count(*) FROM redaction d LEFT JOIN interaction i ON i.id = d.interaction WHERE i.id IS NULL)");
  Rows rows(query);
  if (!query.step()) throw Damage("its rows cannot be counted");
  for (const int column : {0, 1}) {
    if (static_cast<std::uint64_t>(query.number(column)) != interactions) throw Damage("interactions are missing");
  }
  if (!query.flag(2)) throw Damage("a sequence is incomplete");
  if (query.number(3) != 0) throw Damage("a redaction has no interaction");
}

/// Finds redactions outside of their texts. Casts TEXT, so that its length counts in bytes.
void check_places(SQLite::Database& database) {
  Query query(database,
              "SELECT count(*) FROM redaction d CROSS JOIN interaction i"
              " WHERE i.id = d.interaction AND (d.offset < 0 OR d.length < 0 OR d.offset + d.length >"
              " ifnull(CASE d.part WHEN 0 THEN length(CAST(i.target AS BLOB))"
              " WHEN 1 THEN (SELECT length(CAST(text AS BLOB)) FROM headers WHERE id = i.request_headers)"
              " WHEN 2 THEN (SELECT size FROM body WHERE id = i.request_body)"
              " WHEN 3 THEN length(CAST(i.phrase AS BLOB))"
              " WHEN 4 THEN (SELECT length(CAST(text AS BLOB)) FROM headers WHERE id = i.headers)"
              " WHEN 5 THEN (SELECT size FROM body WHERE id = i.body) END, 0))");
  Rows rows(query);
  if (!query.step() || query.number(0) != 0) throw Damage("a redaction is outside its text");
}

void check_bodies(ReaderState& reader, const Progress& progress) {
  const std::uint64_t total = reader.file->size();
  std::uint64_t done = 0;
  Query query(*reader.database, "SELECT size, sha256, bytes FROM body ORDER BY id");
  while (query.step()) {
    done += body_in(query, 0).size();
    progress("checking", done, total);
  }
}

}  // namespace

void verify(const std::string& path, std::uint64_t interactions, const Progress& progress) {
  ReaderState reader(path, open_cassette(path));
  reader.guarded(no_limit, [&] {
    progress("checking", 0, reader.file->size());
    if (reader.file->size() > checked_up_front) quick_check(*reader.database, reader.deadline, no_limit);
    reader.deadline.arm(no_limit);
    check_counts(*reader.database, interactions);
    check_places(*reader.database);
    check_bodies(reader, progress);
  });
}

}  // namespace tapedeck::cassettes
