#include "cassettes/file/takes.h"

#include "cassettes/file/format.h"

namespace tapedeck::cassettes {

namespace {
constexpr std::size_t most_takes = 1'000'000;
}

std::vector<TakeRow> read_takes(SQLite::Database& database) {
  std::vector<TakeRow> takes;
  Query query(database,
              "SELECT id, name, started_us, ended_us, tool, key_policy, scrub_policy, base_path, note, model,"
              " firmware, finished, verified, continues FROM take ORDER BY id");
  while (query.step()) {
    if (takes.size() == most_takes) throw Damage("it has too many takes");
    TakeRow take;
    take.number = query.small(0);
    take.id = query.string(1);
    if (take.id.size() != take_name_size) throw Damage("the name of a take has the wrong length");
    take.started_us = query.number(2, -largest_time, largest_time);
    take.ended_us = query.number(3, -largest_time, largest_time);
    take.tool_version = query.string(4);
    take.key_policy = static_cast<int>(query.number(5, 1, 1'000'000));
    take.scrub_policy = query.string(6);
    take.base_path = query.string(7);
    take.note = query.string(8);
    take.model = query.string(9);
    take.firmware = query.string(10);
    take.finished = query.flag(11);
    take.verified = query.flag(12);
    take.continues = query.flag(13);
    takes.push_back(std::move(take));
  }
  return takes;
}

void insert_take(SQLite::Database& database, const TakeRow& take) {
  Query query(database, "INSERT INTO take VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  query.integer(take.number).blob(take.id).integer(take.started_us).integer(take.ended_us).text(take.tool_version);
  query.integer(take.key_policy).text(take.scrub_policy).text(take.base_path);
  query.text(take.note).text(take.model).text(take.firmware);
  query.integer(take.finished).integer(take.verified).integer(take.continues);
  query.run();
}

}  // namespace tapedeck::cassettes
