// Tests cassettes from untrusted sources: opened or refused with one clear line, never changed, never a crash.

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <map>
#include <random>

#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/content_hash.h"
#include "tests/cassettes/folder_state.h"
#include "tests/cassettes/session_id.h"
#include "tests/support/cassette_fixture.h"
#include "tests/support/needs.h"
#include "tests/support/proc.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteError;
using cassettes::CassetteReader;
using Kind = CassetteError::Kind;

namespace {

TestCassette small_cassette() {
  return cassette_with({
      login("tester", sid),
      record("SVC.Core.Network/1/get", R"({"data":{"gateway":"192.0.2.1"},"success":true})", sid),
      record("SVC.Core.Network/1/get", R"({"data":{"gateway":"192.0.2.9"},"success":true})", sid),
      record("SVC.Core.AppPortal/1/list", R"({"data":[],"success":true})", sid).with_header("X-Note", "kept"),
      record("SVC.Core.Cut/1/get", "", sid).broken("cut"),
      record_target("POST", target_of("SVC.Core.Network/2/set", sid), ok).with_form("hostname=nas"),
      record_target("GET", "/scripts/boot.js", std::string(5000, 'a')),
  });
}

/// Calls all functions of a reader.
void use(const CassetteReader& reader) {
  std::vector<std::string> ids, keys;
  reader.list([&](const auto& line) {
    ids.push_back(line.id);
    keys.push_back(line.key);
    return ids.size() < 100;
  });
  for (const std::string& id : ids) static_cast<void>(reader.get(id));
  for (const std::string& text : keys) {
    for (const auto& sequence : reader.sequences(text)) {
      static_cast<void>(reader.segments(sequence, 0, 100));
      for (std::uint32_t i = 0; i < std::min(sequence.count, 20u); ++i) static_cast<void>(reader.answer(sequence, i));
    }
  }
  static_cast<void>(reader.operations());
  static_cast<void>(reader.keys_of("Core.Network", "get", 10));
  static_cast<void>(reader.has_api("Core.Network"));
  static_cast<void>(reader.lanes(1));
  static_cast<void>(cassettes::content_hash(reader));
}

struct Refusal {
  Kind kind;
  std::string message;
};

std::optional<Refusal> refusal(const std::string& path) {
  try {
    use(CassetteReader(path));
  } catch (const CassetteError& error) {
    return Refusal{error.kind(), error.what()};
  }
  return std::nullopt;
}

std::string patched(std::string bytes, std::size_t at, std::string_view with) {
  return bytes.replace(at, with.size(), with);
}

std::string with_sql(const std::string& bytes, const std::string& path, const std::string& sql) {
  write_bytes(path, bytes);
  edit_cassette(path, sql);
  std::string result = bytes_of(path);
  std::filesystem::remove(path);
  return result;
}

int from_environment(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value ? std::stoi(value) : otherwise;
}

}  // namespace

TEST_CASE("damage: an unusable cassette is refused in one line and stays unchanged") {
  using namespace std::string_literals;
  const auto cassette = small_cassette();
  const std::string good = bytes_of(cassette.path());
  const TestFolder scratch;
  const std::string sql_file = scratch.file("sql");
  struct Case {
    std::string what, bytes;
    Kind kind;
    std::string part_of_message;
  };
  const std::vector<Case> cases = {
      {"empty", "", Kind::not_a_cassette, "is an empty file"},
      {"text", "api=SVC.Core.Network\n", Kind::not_a_cassette, "is not a cassette"},
      {"long text", std::string(50000, 'x'), Kind::not_a_cassette, "is not a cassette"},
      {"the first bytes of SQLite alone", good.substr(0, 16), Kind::not_a_cassette, "is not a cassette"},
      {"another program's SQLite file", patched(good, 68, "\0\0\0\1"s), Kind::not_a_cassette, "another program"},
      {"newer", patched(good, 60, "\0\0\0\7"s), Kind::too_new,
       "has format 7, but this version of Tapedeck reads format 3"},
      {"older", patched(good, 60, "\0\0\0\1"s), Kind::too_new, "record it again"},
      {"cut by a byte", good.substr(0, good.size() - 1), Kind::damaged, "bytes instead of"},
      {"cut to a page", good.substr(0, page_size_of(good)), Kind::damaged, "bytes instead of"},
      {"longer", good + "x", Kind::damaged, "bytes instead of"},
      {"other page size", patched(good, 16, "\x20\x00"s), Kind::damaged, "is damaged"},
      {"zeroes behind the header", good.substr(0, 100) + std::string(good.size() - 100, '\0'), Kind::damaged,
       "damaged"},
      {"another table", with_sql(good, sql_file, "CREATE TABLE extra(x)"), Kind::damaged, "tables"},
      {"a view", with_sql(good, sql_file, "CREATE VIEW v AS SELECT 1"), Kind::damaged, "tables"},
      {"a trigger", with_sql(good, sql_file, "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM body; END"),
       Kind::damaged, "tables"},
      {"a table less", with_sql(good, sql_file, "DROP TABLE redaction"), Kind::damaged, "tables"},
      {"an index less", with_sql(good, sql_file, "DROP INDEX key_by_api"), Kind::damaged, "tables"},
      {"another column", with_sql(good, sql_file, "ALTER TABLE body ADD COLUMN x INTEGER"), Kind::damaged, "tables"},
      {"a changed bit", patched(good, good.size() / 2, std::string(1, static_cast<char>(good[good.size() / 2] ^ 4))),
       Kind::damaged, "check"},
      {"an unknown row of meta", with_sql(good, sql_file, "INSERT INTO meta VALUES('state', 'done')"), Kind::damaged,
       "meta"},
      {"a redaction outside", with_sql(good, sql_file, "UPDATE redaction SET offset = offset + 1000000"), Kind::damaged,
       "outside"},
      {"a redaction of no class", with_sql(good, sql_file, "UPDATE redaction SET class = 'X'"), Kind::damaged, "class"},
      {"bodies that are gone", with_sql(good, sql_file, "DELETE FROM body"), Kind::damaged, "body"},
      {"a size that lies", with_sql(good, sql_file, "UPDATE body SET size = size + 1"), Kind::damaged, "recorded"},
      {"a size beyond all bounds", with_sql(good, sql_file, "UPDATE body SET size = 1 << 40"), Kind::damaged, "range"},
      {"a body that was changed", with_sql(good, sql_file, "UPDATE body SET bytes = bytes || ' '"), Kind::damaged,
       "recorded"},
      {"positions out of place", with_sql(good, sql_file, "UPDATE interaction SET position = position + 1"),
       Kind::damaged, "not in its sequence"},
      {"a key that is another's", with_sql(good, sql_file, "UPDATE sequence SET key = key + 1"), Kind::damaged,
       "not in its sequence"},
      {"sequences that are not there", with_sql(good, sql_file, "DELETE FROM sequence WHERE id = 2"), Kind::damaged,
       "missing"},
      {"sequences longer than their rows", with_sql(good, sql_file, "UPDATE sequence SET count = 9 WHERE count > 0"),
       Kind::damaged, "missing"},
      {"rows of another lane", with_sql(good, sql_file, "UPDATE interaction SET lane = 7"), Kind::damaged,
       "not in its sequence"},
      {"a row that stands elsewhere", with_sql(good, sql_file, "UPDATE interaction SET id = id + (1 << 40)"),
       Kind::damaged, "missing"},
      {"an informational response that plays", with_sql(good, sql_file, "UPDATE interaction SET status = 103"),
       Kind::damaged, "status 103"},
      {"a status below all responses", with_sql(good, sql_file, "UPDATE interaction SET status = 99"), Kind::damaged,
       "status 99"},
      {"a status above all responses", with_sql(good, sql_file, "UPDATE interaction SET status = 600"), Kind::damaged,
       "status 600"},
      {"a row less", with_sql(good, sql_file, "DELETE FROM interaction WHERE id = 2"), Kind::damaged, "missing"},
      {"a key less", with_sql(good, sql_file, "DELETE FROM key WHERE id = 3"), Kind::damaged, "missing"},
  };
  for (const Case& row : cases) {
    INFO(row.what);
    const TestFolder folder;
    const std::string path = folder.file("x.cassette");
    write_bytes(path, row.bytes);
    const auto before = folder_state(folder.path());
    const auto start = std::chrono::steady_clock::now();
    const auto refused = refusal(path);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
    REQUIRE(refused);
    CHECK(refused->kind == row.kind);
    INFO(refused->message);
    CHECK(refused->message.find(row.part_of_message) != std::string::npos);
    CHECK(refused->message.find(path) == 0);
    CHECK(refused->message.find('\n') == refused->message.find("\nhint: "));
    CHECK(folder_state(folder.path()) == before);
  }
}

TEST_CASE("damage: invalid file names are refused") {
  const TestFolder folder;
  REQUIRE(mkfifo(folder.file("fifo").c_str(), 0600) == 0);
  struct Case {
    std::string path;
    Kind kind;
    std::string part_of_message;
  };
  const std::vector<Case> cases = {
      {folder.file("absent"), Kind::not_found, "no such cassette"},
      {folder.file("absent/absent"), Kind::not_found, "the folder does not exist"},
      {folder.path(), Kind::not_a_cassette, "is a folder"},
      {folder.path() + "/", Kind::not_a_cassette, "is a folder"},
      {folder.file("fifo"), Kind::not_a_cassette, "not a regular file"},
      {"", Kind::not_found, "empty"},
      {"file:" + folder.file("x"), Kind::not_found, "looks like a URI"},
      {"file:x?mode=memory", Kind::not_found, "looks like a URI"},
  };
  for (const Case& row : cases) {
    INFO(row.path);
    const auto refused = refusal(row.path);
    REQUIRE(refused);
    CHECK(refused->kind == row.kind);
    CHECK(refused->message.find(row.part_of_message) != std::string::npos);
  }
}

TEST_CASE("damage: a recorder changes no unusable cassette and follows no link") {
  const auto cassette = small_cassette();
  const std::string good = bytes_of(cassette.path());
  const TestFolder folder;
  write_bytes(folder.file("text"), "hello\n");
  write_bytes(folder.file("newer"), patched(good, 60, std::string("\0\0\0\4", 4)));
  write_bytes(folder.file("cut"), good.substr(0, good.size() / 2));
  write_bytes(folder.file("good"), good);
  write_bytes(folder.file("stale"), good);
  write_bytes(folder.file("stale-wal"), "not its own");
  REQUIRE(symlink(folder.file("good").c_str(), folder.file("link").c_str()) == 0);
  REQUIRE(symlink(folder.file("nowhere").c_str(), folder.file("dangling").c_str()) == 0);
  const auto before = folder_state(folder.path());
  for (const char* name : {"text", "newer", "cut", "link", "absent/x", ""}) {
    INFO(name);
    CHECK_THROWS_AS(cassettes::CassetteWriter(*name ? folder.file(name) : "", fixture_take()), CassetteError);
    CHECK_THROWS_AS(static_cast<void>(cassettes::finish(folder.file(name), {})), CassetteError);
  }
  CHECK(folder_state(folder.path()) == before);
  // Reading follows a link, and a foreign WAL is ignored.
  CHECK_FALSE(refusal(folder.file("link")));
  CHECK_FALSE(refusal(folder.file("stale")));
  CHECK(folder_state(folder.path()) == before);
}

TEST_CASE("damage: with any bit flipped, a cassette is refused or each played response is right") {
  const auto cassette = small_cassette();
  const std::string good = bytes_of(cassette.path());
  std::map<std::string, std::string> right;
  CassetteReader(cassette.path()).each([&](const auto& full) {
    right[full.line.id] = full.record.response.body;
    return true;
  });
  const TestFolder folder;
  const std::string path = folder.file("flipped.cassette");
  std::mt19937 random(20261125);
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    std::string bytes = good;
    const std::size_t at = random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    write_bytes(path, bytes);
    INFO("at " << at);
    try {
      const CassetteReader reader(path);
      reader.each([&](const auto& full) {
        CHECK(full.record.response.body == right.at(full.line.id));
        return true;
      });
    } catch (const CassetteError& error) {
      ++refused;
      CHECK(error.kind() != Kind::io);
    }
    CHECK_THROWS_AS(cassettes::CassetteWriter(path, fixture_take()), CassetteError);
  }
  CHECK(refused == 200);
}

TEST_CASE("damage: flipped bytes and shuffled pages cause no crash") {
  const auto cassette = small_cassette();
  const std::string good = bytes_of(cassette.path());
  const std::size_t page = page_size_of(good);
  const TestFolder folder;
  const std::string path = folder.file("mutated.cassette");
  std::mt19937 random(20240101);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  int refused = 0;
  const int count = from_environment("TAPEDECK_MUTATIONS", 300);
  for (int i = 0; i < count; ++i) {
    std::string bytes = good;
    const std::size_t pages = bytes.size() / page;
    switch (i % 4) {
      case 0:  // a few bytes anywhere
        for (std::size_t k = below(8) + 1; k > 0; --k) bytes[below(bytes.size())] = static_cast<char>(random());
        break;
      case 1:  // bytes at the start of a page, where SQLite stores its structure
        for (std::size_t k = below(4) + 1; k > 0; --k) {
          bytes[below(pages) * page + below(200)] = static_cast<char>(random());
        }
        break;
      case 2: {  // one page copied over another
        const std::size_t from = below(pages), to = below(pages);
        bytes.replace(to * page, page, good.substr(from * page, page));
        break;
      }
      default: {  // a run of one byte
        const std::size_t at = below(bytes.size()), size = std::min(below(2000), bytes.size() - at);
        bytes.replace(at, size, std::string(size, static_cast<char>(random())));
      }
    }
    write_bytes(path, bytes);
    // Half of them get valid checksums, as from an attacker who knows the format.
    if (i % 8 >= 4) cassettes::seal_pages(cassettes::open_file(path, true), path);
    INFO(i);
    const auto result = refusal(path);
    if (result) {
      ++refused;
      CHECK(result->kind != Kind::io);
    }
  }
  CHECK(refused > count / 4);
}

TEST_CASE("damage: wrong values in any column cause no crash") {
  const auto cassette = small_cassette();
  const std::string good = bytes_of(cassette.path());
  const TestFolder folder;
  const std::string path = folder.file("values.cassette");
  std::size_t count = 0;
  for (const std::string table :
       {"take", "session", "headers", "body", "key", "interaction", "sequence", "sequence_entry", "redaction"}) {
    std::vector<std::string> columns;
    {
      SQLite::Database database(cassette.path());
      SQLite::Statement query(database, "SELECT name FROM pragma_table_info('" + table + "')");
      while (query.executeStep()) columns.push_back(query.getColumn(0).getString());
    }
    for (const std::string& column : columns) {
      for (const char* value : {"-1", "0", "3", "9223372036854775807", "-9223372036854775808", "zeroblob(3)",
                                "zeroblob(20000)", "x'28b52ffd00'", "'<A>%00/?&=1'", "''", "NULL"}) {
        if (++count % 4 != 0 && !tests::is_long()) continue;  // 11 values, so each column gets different ones
        INFO(table << "." << column << " = " << value);
        write_bytes(path, good);
        {
          SQLite::Database database(path, SQLite::OPEN_READWRITE);
          // STRICT and NOT NULL refuse some values, which then need no reader.
          if (database.tryExec("UPDATE OR IGNORE " + table + " SET " + column + " = " + value) != SQLite::OK) continue;
        }
        cassettes::seal_pages(cassettes::open_file(path, true), path);
        static_cast<void>(refusal(path));
      }
    }
  }
  SUCCEED();
}

TEST_CASE("damage: no number in a cassette sizes memory when it is rewritten") {
  constexpr std::size_t most = 64u << 20;
  const std::string compound =
      R"(SVC.Entry.Request/1/request?compound=[{"api":"SYNO.Core.Terminal","version":1,"method":"get"}])";
  const std::string parts =
      R"({"data":{"has_fail":false,"result":[{"api":"SYNO.Core.Terminal","data":{},"method":"get","success":true,)"
      R"("version":1}]},"success":true})";
  Recorded scoped = record("SVC.Core.Network/1/get", ok, sid), streamed = record("SVC.Core.Network/2/get", ok, sid);
  scoped.interaction.scope = "first";
  streamed.interaction.events = {{fixture_start_us + 10, 4}};
  const auto cassette = cassette_with({login("tester", sid), record(compound, parts, sid), scoped, streamed});
  edit_cassette(cassette.path(), "INSERT INTO mark VALUES(1, 1, 1, 'here')");
  const std::string good = bytes_of(cassette.path());
  const TestFolder folder;
  const std::string path = folder.file("numbers.cassette");
  std::vector<std::pair<std::string, std::string>> columns;
  {
    SQLite::Database database(cassette.path());
    SQLite::Statement query(database,
                            "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c"
                            " WHERE m.type = 'table' AND c.type = 'INTEGER'");
    while (query.executeStep()) columns.emplace_back(query.getColumn(0).getString(), query.getColumn(1).getString());
  }
  REQUIRE(columns.size() > 50);
  for (const auto& [table, column] : columns) {
    INFO(table << "." << column);
    write_bytes(path, good);
    edit_cassette(path, "UPDATE OR IGNORE " + table + " SET " + column + " = 1000000007");
    std::ofstream("/proc/self/clear_refs") << 5;  // VmHWM starts again at VmRSS
    const std::size_t before = tests::memory_of(getpid(), "VmRSS");
    scrubbers::Scrubber scrubber{scrubbers::ScrubberOptions{}};
    cassettes::FinishOptions options;
    options.scrubber = &scrubber;
    try {
      static_cast<void>(cassettes::finish(path, options));
      use(CassetteReader(path));
    } catch (const CassetteError& error) {
      CHECK(error.kind() == Kind::damaged);
    }
    if (tests::memory_counts) CHECK(tests::memory_of(getpid(), "VmHWM") < before + most);
    std::filesystem::remove(path);
  }
}
