// Tests bodies that another program changed.

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "cassettes/read/content_hash.h"
#include "cassettes/read/reader_state.h"
#include "tests/cassettes/folder_state.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteError;
using cassettes::CassetteReader;

namespace {

/// Returns two calls, of which the second has the first one's response, and an upload.
TestCassette small_bodies() {
  return cassette_with({record("SVC.A/1/get", "12345"), record("SVC.B/1/get", "12345"),
                        record_target("POST", "/upload", "6789").with_form("a=1")});
}

std::string id_of(const CassetteReader& reader, std::string_view key) {
  std::string id;
  reader.list([&](const auto& line) {
    if (line.key.starts_with(key)) id = line.id;
    return true;
  });
  return id;
}

template <class F>
std::string damage_told(F&& read) {
  try {
    read();
    return "none";
  } catch (const CassetteError& error) {
    CHECK(error.kind() == CassetteError::Kind::damaged);
    return error.what();
  }
}

}  // namespace

TEST_CASE("changed body: every reader names the interaction whose body differs from the recorded one") {
  struct Case {
    const char *sql, *key, *whose;
  };
  const std::vector<Case> cases = {
      {"UPDATE body SET bytes = '54321' WHERE bytes = '12345'", "SVC.A", "response"},
      {"UPDATE body SET bytes = 'a=2' WHERE bytes = 'a=1'", "POST /upload", "request"},
  };
  for (const Case& row : cases) {
    INFO(row.sql);
    const auto cassette = small_bodies();
    edit_cassette(cassette.path(), row.sql);
    const CassetteReader reader(cassette.path());
    const std::string id = id_of(reader, row.key);
    const std::string expected = "the body of its " + std::string(row.whose) + " is not what was recorded";
    CHECK_THAT(damage_told([&] { static_cast<void>(reader.get(id)); }),
               Catch::Contains(id) && Catch::Contains(expected));
    CHECK_THAT(damage_told([&] { static_cast<void>(cassettes::content_hash(reader)); }), Catch::Contains(expected));
    CHECK_THAT(damage_told([&] { reader.each([](const auto&) { return true; }); }), Catch::Contains(expected));
    // Finishing again would give it a new hash and hide the change.
    CHECK_THAT(cassettes::finish(cassette.path(), {}).failure, Catch::Contains(expected));
    CHECK_THROWS_AS(cassettes::CassetteWriter(cassette.path(), fixture_take()), CassetteError);
    const auto sequences = reader.sequences("SVC.A/1/get");
    const bool plays = std::string_view(row.whose) == "request";
    CHECK((damage_told([&] { static_cast<void>(reader.answer(sequences.at(0), 0)); }) == "none") == plays);
  }
}

TEST_CASE("changed body: a response that shares the body is named, and others are read") {
  const auto cassette = small_bodies();
  edit_cassette(cassette.path(), "UPDATE body SET bytes = '54321' WHERE bytes = '12345'");
  const CassetteReader reader(cassette.path());
  for (const char* key : {"SVC.A", "SVC.B"}) {
    CHECK_THAT(damage_told([&] { static_cast<void>(reader.get(id_of(reader, key))); }), Catch::Contains("recorded"));
  }
  CHECK(reader.get(id_of(reader, "POST /upload")).has_value());
}

TEST_CASE("quick check: has its own time limit") {
  const TestFolder folder;
  SQLite::Database database(folder.file("x"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT);"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)"
      " INSERT INTO t SELECT i, 'row ' || i FROM n");
  cassettes::Deadline deadline(database);
  deadline.arm(std::chrono::milliseconds(-1));
  CHECK_THROWS_AS(database.execAndGet("SELECT sum(length(text)) FROM t"), SQLite::Exception);
  CHECK_NOTHROW(cassettes::quick_check(database, deadline));
  deadline.arm(std::chrono::milliseconds(-1));
  CHECK_THROWS_AS(cassettes::quick_check(database, deadline, std::chrono::milliseconds(-1)), SQLite::Exception);
}
