// Tests that databases are searched value by value in every page: neither across the ends of cells, nor only in what
// SQL shows.

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "tests/scan/scan_support.h"

using namespace tapedeck::scan;
using namespace tapedeck::scan::testing;

namespace {

constexpr std::string_view planted = "kR7vQ2mXw9ZtB4nLs8yD1cJf6HgP3aUe";

std::string random_text(std::mt19937& random, std::size_t size) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string text;
  while (text.size() < size) text += letters[random() % letters.size()];
  return text;
}

/// Writes keys that end with values of `size` characters, with an index, and deletes, moves, and replaces some.
void write_keys(const Database& db, const std::string& settings, std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(20261128 + size));
  db.run("PRAGMA secure_delete=OFF; PRAGMA synchronous=OFF; " + settings);
  db.run("CREATE TABLE key(id INTEGER PRIMARY KEY, text TEXT, scope INTEGER, name TEXT)");
  db.run("CREATE INDEX key_by_text ON key(text, scope); CREATE INDEX key_by_name ON key(name)");
  db.run("BEGIN");
  for (int i = 0; i < 200; ++i) {
    // Row numbers and scopes whose bytes are letters.
    const std::string id = std::to_string(0x41424344 + i * 7919), scope = std::to_string(0x61626364 + i);
    // In this order, which compilers do not keep within an expression.
    const std::string token = random_text(random, size), item = std::to_string(random() % 50);
    const std::string text = "SVC.Core.Item" + item + "/1/get?token=" + token;
    db.run("INSERT INTO key VALUES(" + id + ",'" + text + "'," + scope + ",'sid=" + random_text(random, size) + "')");
  }
  db.run("COMMIT; DELETE FROM key WHERE id % 3 = 0; UPDATE key SET text = 'a' || text WHERE id % 5 = 0");
}

/// Returns the heuristic findings in the database and its log.
std::uint64_t suspects(const std::string& settings, std::size_t size) {
  const Folder folder;
  const Database db(folder / "keys.db");
  write_keys(db, settings, size);
  return scan_file(folder / "keys.db", {}).heuristic;
}

}  // namespace

TEST_CASE("pages: a value is never read together with the next cell") {
  for (const std::string& settings :
       std::vector<std::string>{"PRAGMA page_size=512", "PRAGMA page_size=4096", "PRAGMA page_size=16384",
                                "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0", "PRAGMA auto_vacuum=FULL"}) {
    INFO(settings);
    for (const std::size_t size : {9u, 12u, 15u}) {
      INFO(size);
      CHECK(suspects(settings, size) == 0);
    }
    CHECK(suspects(settings, 24) > 200);  // values that are long enough to be suspects are found
  }
}

TEST_CASE("pages: a secret is found wherever a database stores it") {
  const std::string text = "a note with " + std::string(planted) + " in it", filler(300, '-');
  struct Row {
    std::string name, sql;
  };
  const std::vector<Row> rows = {
      {"a row", "INSERT INTO t(x) VALUES('TEXT')"},
      {"a row on overflow pages", "INSERT INTO t(x) VALUES(printf('%.*c', 20000, '-') || 'TEXT')"},
      {"a deleted row between others", "INSERT INTO t(x) VALUES('a'), ('TEXT'), ('b'); DELETE FROM t WHERE x = 'TEXT'"},
      {"a deleted row on overflow pages",
       "INSERT INTO t(x) VALUES(printf('%.*c', 20000, '-') || 'TEXT'); DELETE FROM t WHERE length(x) > 20000"},
      {"a replaced value", "INSERT INTO t(x) VALUES('TEXT'); UPDATE t SET x = 'other'"},
      {"an index of a deleted table",
       "CREATE TABLE u(y); CREATE INDEX v ON u(y); INSERT INTO u VALUES('TEXT'); DROP TABLE u"},
      {"a table without row numbers", "CREATE TABLE u(y PRIMARY KEY) WITHOUT ROWID; INSERT INTO u VALUES('TEXT')"},
      {"an index of an expression", "CREATE INDEX v ON t(x || 'TEXT'); INSERT INTO t(x) VALUES('a')"},
      {"the schema", "CREATE TABLE u(y DEFAULT 'TEXT')"},
      {"a default that the schema had", "CREATE TABLE u(y DEFAULT 'TEXT'); DROP TABLE u"},
  };
  for (const char* const settings :
       {"", "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;", "PRAGMA page_size=512;"}) {
    for (const Row& row : rows) {
      INFO(settings << " " << row.name);
      const Folder folder;
      const Database db(folder / "a.db");
      std::string sql = row.sql;
      for (std::size_t at = 0; (at = sql.find("TEXT", at)) != std::string::npos;) sql.replace(at, 4, text);
      db.run("PRAGMA secure_delete=OFF; " + std::string(settings) + " CREATE TABLE t(id INTEGER PRIMARY KEY, x)");
      for (int i = 0; i < 50; ++i) db.run("INSERT INTO t(x) VALUES('" + filler + "')");
      db.run(sql);
      LearnedValues learned;
      learned.add(planted);
      ScanOptions options;
      options.learned = &learned;
      const ScanReport report = scan_file(folder / "a.db", options);
      CHECK(report.learned > 0);
      CHECK(report.incomplete.empty());
    }
  }
}

TEST_CASE("pages: any page of a damaged database is searched in linear time") {
  std::mt19937 random(7);
  const Folder folder;
  {
    const Database db(folder / "good.db");
    write_keys(db, "PRAGMA page_size=1024", 40);
  }
  std::ifstream in(folder / "good.db", std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  LearnedValues learned;
  learned.add(planted);
  ScanOptions options;
  options.learned = &learned;
  for (int i = 0; i < 60; ++i) {
    std::string bad = good;
    const std::size_t page = random() % (bad.size() / 1024) * 1024, header = page + (page == 0 ? 100 : 0);
    const std::size_t place = good.find("token=", page + 200);
    if (place > page + 900) continue;  // no key in this page
    // Any beginning of a page, and chains of pages that may refer to themselves.
    for (std::size_t at = 0; at < 16; ++at) bad[header + at] = static_cast<char>(random());
    if (i % 2 == 0) bad[header] = "\x02\x05\x0a\x0d"[i / 2 % 4];
    bad.replace(place + 8, planted.size(), planted);
    folder.write("bad.db", bad);
    INFO(i << " at " << place);
    CHECK(scan_file(folder / "bad.db", options).learned > 0);
  }
}
