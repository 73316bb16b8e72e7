// Cassettes of older formats are read as they are, and written anew in today's format.

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "cassettes/file/schema.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/content_hash.h"
#include "tests/cassettes/folder_state.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteError;
using cassettes::CassetteReader;

namespace {

/// What the last program that wrote format 1 printed for this cassette. In format 2 it is the same one.
constexpr const char* hash_then = "a436c0ea492c8fb98aa3e4159dbadf970f3ec3b3ce22f5c823611d204e6e1f28";

void make_older(const std::string& path, int format) {
  const std::string number = std::to_string(format);
  SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec("PRAGMA page_size=4096; PRAGMA user_version=" + number);
  database.exec("PRAGMA application_id=" + std::to_string(cassettes::application_id));
  database.exec(bytes_of(TAPEDECK_SOURCE "/tests/cassettes/format_" + number + ".sql"));
}

int version_of(const std::string& path) { return SQLite::Database(path).execAndGet("PRAGMA user_version").getInt(); }

std::vector<std::string> ids_of(const CassetteReader& reader) {
  std::vector<std::string> ids;
  reader.list([&](const auto& line) {
    ids.push_back(line.id);
    return true;
  });
  return ids;
}

std::string answer_to(const CassetteReader& reader, const std::string& key, std::size_t sequence, unsigned position) {
  return reader.answer(reader.sequences(key).at(sequence), position).body;
}

}  // namespace

TEST_CASE("older formats: a cassette is read with the ids, answers and content that it had, and stays as it is") {
  const int format = GENERATE(1, 2);
  const TestFolder folder;
  const std::string path = folder.file("old.cassette");
  make_older(path, format);
  const auto before = folder_state(folder.path());
  const CassetteReader reader(path);
  CHECK(reader.info().format == format);
  CHECK(reader.info().interactions == 20);
  CHECK(reader.info().takes.size() == 2);
  CHECK(reader.info().finished);
  CHECK(reader.info().verified);
  CHECK(cassettes::content_hash(reader) == hash_then);
  const std::vector<std::string> ids = ids_of(reader);
  REQUIRE(ids.size() == 20);
  CHECK(ids.front() == "cb35927fe23ef3f8");
  CHECK(ids.back() == "a41c5aacac505ce0");
  CHECK(reader.sequences("SVC.Core.Network/1/get").at(0).count == 3);
  CHECK(answer_to(reader, "SVC.Core.Network/1/get", 0, 2).size() == 443);
  CHECK(answer_to(reader, "SVC.API.Auth/6/logout", 1, 0) == R"({"success":true})");
  CHECK(reader.get("9fb5").value().record.request.target.ends_with("name=othertwo&_sid=<SESSION_ID>"));
  const CassetteReader other = reader.clone();
  CHECK(cassettes::content_hash(other) == hash_then);
  CHECK(folder_state(folder.path()) == before);
}

TEST_CASE("older formats: finish() writes today's format with the same content") {
  const int format = GENERATE(1, 2);
  const TestFolder folder;
  const std::string path = folder.file("old.cassette");
  make_older(path, format);
  const cassettes::FinishReport report = cassettes::finish(path, {});
  CHECK(report.failure.empty());
  REQUIRE(report.finished);
  CHECK(report.interactions == 20);
  CHECK(version_of(path) == cassettes::format_version);
  const CassetteReader reader(path);
  CHECK(reader.info().format == cassettes::format_version);
  CHECK(cassettes::content_hash(reader) == hash_then);
}

TEST_CASE("older formats: a take can be added; before finish() the cassette is read as it stands") {
  const int format = GENERATE(1, 2);
  const TestFolder folder;
  const std::string path = folder.file("old.cassette");
  make_older(path, format);
  scrubbers::Scrubber scrubber({});
  auto writer = std::make_unique<cassettes::CassetteWriter>(path, fixture_take());
  const auto rows = timed({record("SVC.Core.Network/1/get", R"({"data":{"hostname":"later"},"success":true})")});
  writer->append(scrubber.scrub(rows.at(0).interaction), nullptr, scrubber.generation());
  writer->flush();
  CHECK(version_of(path) == format);
  {
    const CassetteReader beside(path);
    CHECK(beside.info().format == format);
    CHECK(beside.info().interactions == 21);
    CHECK(beside.info().takes.size() == 3);
  }
  REQUIRE(cassettes::finish(std::move(writer), {}).finished);
  CHECK(version_of(path) == cassettes::format_version);
  const CassetteReader reader(path);
  CHECK(reader.info().interactions == 21);
  CHECK(answer_to(reader, "SVC.Core.Network/1/get", 0, 0) == R"({"data":{"hostname":"later"},"success":true})");
  const std::vector<std::string> ids = ids_of(reader);
  CHECK(std::find(ids.begin(), ids.end(), "a41c5aacac505ce0") != ids.end());
}

TEST_CASE("older formats: a damaged one is refused, and so is one whose tables are of another format") {
  struct Case {
    int format;
    const char* sql;
  };
  const std::vector<Case> cases = {
      {1, "DELETE FROM body WHERE id = 8"},
      {1, "UPDATE body SET size = size + 1"},
      {1, "UPDATE redaction SET offset = offset + 100000"},
      {1, "DROP INDEX key_by_hash"},
      {1, "PRAGMA user_version=2"},
      {1, "PRAGMA user_version=3"},
      {1, "DELETE FROM request WHERE id = 4"},
      {2, "UPDATE interaction SET body_bytes = x''"},
      {2, "UPDATE interaction SET body = id - 1 WHERE id > 1"},
      {2, "UPDATE interaction SET body_size = body_size + 1"},
      {2, "UPDATE redaction SET offset = offset + 100000"},
      {2, "DROP TABLE sequence"},
      {2, "PRAGMA user_version=1"},
      {2, "PRAGMA user_version=3"},
  };
  const TestFolder folder;
  for (const Case& row : cases) {
    INFO("format " << row.format << ": " << row.sql);
    const std::string path = folder.file("x.cassette");
    std::filesystem::remove(path);
    make_older(path, row.format);
    SQLite::Database(path, SQLite::OPEN_READWRITE).exec(row.sql);
    CHECK_THROWS_AS(CassetteReader(path), CassetteError);
  }
}
