#include "cassettes/file/takes.h"

#include "cassettes/file/schema.h"

namespace tapedeck::cassettes {

namespace {
constexpr std::size_t most_takes = 1'000'000;
}

std::vector<TakeRow> read_takes(SQLite::Database& database) {
  std::vector<TakeRow> takes;
  Query query(database,
              "SELECT number, started_us, ended_us, tool_version, key_policy, scrub_policy, base_path, lanes,"
              " finished, verified FROM take ORDER BY number");
  while (query.step()) {
    if (takes.size() == most_takes) throw Damage("it has too many takes");
    TakeRow take;
    take.number = query.small(0);
    take.started_us = query.number(1, -largest_time, largest_time);
    take.ended_us = query.number(2, -largest_time, largest_time);
    take.tool_version = query.string(3);
    take.key_policy = static_cast<int>(query.number(4, 1, 1'000'000));
    take.scrub_policy = query.string(5);
    take.base_path = query.string(6);
    take.lanes = query.small(7);
    take.finished = query.flag(8);
    take.verified = query.flag(9);
    takes.push_back(std::move(take));
  }
  return takes;
}

void insert_take(SQLite::Database& database, const TakeRow& take) {
  Query query(database, "INSERT INTO take VALUES(?,?,?,?,?,?,?,?,?,?)");
  query.integer(take.number).integer(take.started_us).integer(take.ended_us).text(take.tool_version);
  query.integer(take.key_policy).text(take.scrub_policy).text(take.base_path).integer(take.lanes);
  query.integer(take.finished).integer(take.verified);
  query.run();
}

}  // namespace tapedeck::cassettes
