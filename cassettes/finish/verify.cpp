#include "cassettes/finish/verify.h"

#include "cassettes/file/interaction_id.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr auto no_limit = std::chrono::hours(24);

void check_counts(SQLite::Database& database, std::uint64_t interactions) {
  Query query(database,
              "SELECT count(*), ifnull(max(number), 0), ifnull(sum(count + passed_over + hidden), 0),"
              " ifnull(sum(abs(sequences)), 0) = ifnull(sum(count + passed_over + hidden > 0), 0),"
              " ifnull(sum(length(key_hash) = 16), 0) = (SELECT count(*) FROM key),"
              " ifnull(sum(redactions), 0) = (SELECT count(*) FROM redaction) FROM interaction");
  Rows rows(query);
  if (!query.step()) throw Damage("its rows cannot be counted");
  for (int column = 0; column < 3; ++column) {
    if (static_cast<std::uint64_t>(query.number(column)) != interactions) throw Damage("interactions are missing");
  }
  if (!query.flag(3) || !query.flag(4)) throw Damage("a sequence is missing");
  if (!query.flag(5)) throw Damage("redactions are missing");
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
              " WHEN 5 THEN i.body_size END, 0))");
  Rows rows(query);
  if (!query.step() || query.number(0) != 0) throw Damage("a redaction lies outside its text");
}

using See = std::function<void(const BodyPlace&, std::string_view)>;

/// Row, encoding, size, bytes, SHA-256.
constexpr const char* request_bodies = "SELECT id, encoding, size, bytes, sha256 FROM body ORDER BY id";
constexpr const char* answer_bodies =
    "SELECT id, body_encoding, body_size, body_bytes, body_sha256 FROM interaction"
    " WHERE body = 0 AND body_size > 0 ORDER BY id";

/// Bodies that several interactions have stand with the first of them.
void check_shared(SQLite::Database& database) {
  Query query(database,
              "SELECT count(*) FROM interaction i LEFT JOIN interaction h ON h.id = i.body WHERE i.body <> 0 AND"
              " (i.body >= i.id OR h.body IS NOT 0 OR h.body_size <> i.body_size)");
  Rows rows(query);
  if (!query.step() || query.number(0) != 0) throw Damage("a shared body is not there");
}

class BodyCheck {
 public:
  BodyCheck(ReaderState& reader, const Progress& progress, const See& see)
      : reader_(reader), progress_(progress), see_(see), total_(sum_of_sizes()) {}

  void check(BodyPlace::Table table) {
    Query query(*reader_.database, table == BodyPlace::Table::body ? request_bodies : answer_bodies);
    while (query.step()) {
      const std::string body = reader_.rows.body_in(query, 1);
      if (sha256_bytes(body) != query.bytes(4)) throw Damage("a body is not the one that was recorded");
      if (uses_dictionary(static_cast<BodyEncoding>(query.number(1)))) see_({table, query.number(0)}, body);
      done_ += body.size();
      progress_("checking", done_, total_);
    }
  }

 private:
  [[nodiscard]] std::uint64_t sum_of_sizes() const {
    constexpr const char* sum =
        "SELECT ifnull((SELECT sum(size) FROM body), 0) +"
        " ifnull((SELECT sum(body_size) FROM interaction WHERE body = 0), 0)";
    return static_cast<std::uint64_t>(reader_.database->execAndGet(sum).getInt64());
  }

  ReaderState& reader_;
  const Progress& progress_;
  const See& see_;
  std::uint64_t done_ = 0, total_;
};

}  // namespace

void verify(const std::string& path, std::uint64_t interactions, const Progress& progress, const See& see) {
  ReaderState reader(path, open_cassette(open_file(path, false)));
  reader.guarded(no_limit, [&] {
    progress("checking", 0, reader.file->file.size());
    quick_check(*reader.database, reader.deadline, no_limit);
    reader.deadline.arm(no_limit);
    check_counts(*reader.database, interactions);
    check_places(*reader.database);
    check_shared(*reader.database);
    BodyCheck bodies(reader, progress, see);
    bodies.check(BodyPlace::Table::body);
    bodies.check(BodyPlace::Table::interaction);
  });
}

}  // namespace tapedeck::cassettes
