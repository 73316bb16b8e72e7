#include "cassettes/verify.h"

#include "cassettes/cassette_error.h"
#include "cassettes/interaction_id.h"
#include "cassettes/reader_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr auto no_limit = std::chrono::hours(24);

void check_counts(SQLite::Database& database, std::uint64_t interactions) {
  Query query(database,
              "SELECT (SELECT count(*) FROM interaction), (SELECT ifnull(max(id), 0) FROM interaction),"
              " (SELECT ifnull(sum(count + passed_over + hidden), 0) FROM sequence),"
              " (SELECT ifnull(sum(redactions), 0) FROM interaction) = (SELECT count(*) FROM redaction)");
  Rows rows(query);
  if (!query.step()) throw Damage("its rows cannot be counted");
  for (int column = 0; column < 3; ++column) {
    if (static_cast<std::uint64_t>(query.number(column)) != interactions) throw Damage("interactions are missing");
  }
  if (!query.flag(3)) throw Damage("redactions are missing");
}

void check_places(SQLite::Database& database) {
  Query query(database,
              "SELECT count(*) FROM redaction d CROSS JOIN interaction i CROSS JOIN request r"
              " WHERE i.id = d.interaction AND r.id = i.request AND (d.offset < 0 OR d.length < 0 OR"
              " d.offset + d.length > ifnull(CASE d.part WHEN 0 THEN length(r.target)"
              " WHEN 1 THEN (SELECT length(text) FROM header_set WHERE id = r.headers)"
              " WHEN 2 THEN (SELECT size FROM body WHERE id = r.body)"
              " WHEN 3 THEN (SELECT length(text) FROM word WHERE id = i.phrase)"
              " WHEN 4 THEN (SELECT length(text) FROM header_set WHERE id = i.headers)"
              " WHEN 5 THEN (SELECT size FROM body WHERE id = i.body) END, 0))");
  Rows rows(query);
  if (!query.step() || query.number(0) != 0) throw Damage("a redaction lies outside its text");
}

using See = std::function<void(std::int64_t, std::string_view)>;

void check_bodies(SQLite::Database& database, StoredRows& stored, const Progress& progress, const See& see) {
  const auto total =
      static_cast<std::uint64_t>(database.execAndGet("SELECT ifnull(sum(size), 0) FROM body").getInt64());
  std::uint64_t done = 0;
  Query query(database, "SELECT id, sha256, encoding FROM body ORDER BY id");
  while (query.step()) {
    const std::string body = stored.body(query.number(0));
    if (sha256_bytes(body) != query.bytes(1)) throw Damage("a body is not the one that was recorded");
    if (query.number(2) == static_cast<int>(BodyEncoding::zstd_dictionary)) see(query.number(0), body);
    done += body.size();
    progress("checking", done, total);
  }
}

}  // namespace

void verify(const std::string& path, std::uint64_t interactions, const Progress& progress, const See& see) {
  ReaderState reader(path, open_cassette(open_file(path, false)));
  reader.guarded(no_limit, [&] {
    progress("checking", 0, reader.file->file.size());
    quick_check(*reader.database);
    check_counts(*reader.database, interactions);
    check_places(*reader.database);
    check_bodies(*reader.database, reader.rows, progress, see);
  });
}

}  // namespace tapedeck::cassettes
