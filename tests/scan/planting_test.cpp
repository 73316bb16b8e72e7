// Plants secrets in every form and every kind of container. All must be found, and none may be in the report.

#include <catch2/catch.hpp>
#include <vector>

#include "tests/scan/scan_support.h"

using namespace tapedeck::scan;
using namespace tapedeck::scan::testing;

namespace {

constexpr std::string_view odd_password = "Zq7/Kp+2\"x&L9 vT\\4m%41Q";
constexpr std::string_view session_id = "kR7vQ2mXw9ZtB4nLs8yD1cJf6HgP3aUe_x-41QpLmN";

struct Form {
  std::string name;
  std::function<std::string(std::string_view)> encode;
};

std::vector<Form> forms() {
  const auto plain = [](std::string_view text) { return std::string(text); };
  return {
      {"plain", plain},
      {"percent, all characters", percent_all},
      {"form", [](std::string_view text) { return form(text); }},
      {"form, lower case", [](std::string_view text) { return form(text, true); }},
      {"percent twice", [](std::string_view text) { return form(form(text)); }},
      {"json", json},
      {"json in json", [](std::string_view text) { return json(json(text)); }},
      {"unicode escapes", unicode_escapes},
      {"unicode escapes in json", [](std::string_view text) { return json(unicode_escapes(text)); }},
      {"json, then percent", [](std::string_view text) { return form(json(text)); }},
      {"base64", [](std::string_view text) { return base64(text); }},
      {"base64, second alignment", [](std::string_view text) { return base64("a" + std::string(text) + "zz"); }},
      {"base64, third alignment", [](std::string_view text) { return base64("ab" + std::string(text) + "z"); }},
      {"base64url without padding", [](std::string_view text) { return base64(text, true, false); }},
      {"base64 behind a word", [](std::string_view text) { return "abc/" + base64(text); }},
      {"base64 of base64", [](std::string_view text) { return base64(base64(text)); }},
      {"base64 in percent", [](std::string_view text) { return percent_all(base64(text)); }},
      {"base64 in lines",
       [](std::string_view text) {
         std::string all = base64(std::string(50, 'p') + std::string(text) + std::string(50, 'q'));
         for (std::size_t at = 64; at < all.size(); at += 66) all.insert(at, "\r\n");
         return all;
       }},
      {"hex", [](std::string_view text) { return hex(text); }},
      {"hex, upper case", [](std::string_view text) { return hex_of(text, "0123456789ABCDEF"); }},
      {"hex, odd alignment", [](std::string_view text) { return "f" + hex(text); }},
      {"hex, spaced", [](std::string_view text) { return hex(text, " "); }},
      {"hex, colons", [](std::string_view text) { return hex(text, ":"); }},
      {"gzip", gzip},
      {"zstd", zstd},
      {"gzip in base64", [](std::string_view text) { return base64(gzip("{\"a\":\"" + std::string(text) + "\"}")); }},
      {"five deep", [](std::string_view text) { return gzip(json(form(base64(zstd(text))))); }},
      {"after a NUL", [](std::string_view text) { return std::string("{}\0", 3) + std::string(text); }},
  };
}

struct Container {
  std::string name;
  std::function<fs::path(const Folder&, const std::string&)> write;
};

std::string surrounded(const std::string& text) {
  return R"({"data":{"items":[{"id":1,"name":"Volume 1"}],"note":")" + text + R"("},"success":true})";
}

void create(const Database& db) {
  db.run("PRAGMA page_size=16384; PRAGMA secure_delete=OFF; PRAGMA synchronous=OFF");
  db.run("CREATE TABLE bodies(id INTEGER PRIMARY KEY, body BLOB)");
  for (int i = 0; i < 20; ++i) db.run("INSERT INTO bodies(body) VALUES(?)", surrounded("row " + std::to_string(i)));
}

fs::path row_with(const Folder& folder, const std::string& bytes) {
  const Database db(folder / "row.cassette");
  create(db);
  db.run("INSERT INTO bodies(body) VALUES(?)", bytes);
  return folder / "row.cassette";
}

fs::path deleted_row_with(const Folder& folder, const std::string& bytes) {
  const Database db(folder / "deleted.cassette");
  create(db);
  // The first freed page lists the others, which therefore keep all of their bytes.
  db.run("INSERT INTO bodies(id, body) VALUES(1000, ?)", std::string(40'000, '-'));
  db.run("INSERT INTO bodies(body) VALUES(?)", bytes);
  db.run("DELETE FROM bodies WHERE id = 1000");
  db.run("DELETE FROM bodies");
  return folder / "deleted.cassette";
}

std::vector<Container> containers() {
  return {
      {"plain file", [](const Folder& f, const std::string& text) { return f.write("a.log", surrounded(text)); }},
      {"row", [](const Folder& f, const std::string& text) { return row_with(f, surrounded(text)); }},
      {"zstd in a row", [](const Folder& f, const std::string& text) { return row_with(f, zstd(surrounded(text))); }},
      {"deleted row", [](const Folder& f, const std::string& text) { return deleted_row_with(f, surrounded(text)); }},
  };
}

bool found(const fs::path& path, std::string_view value) {
  LearnedValues learned;
  learned.add("another-value-that-is-not-there-0815");
  learned.add(value);
  ScanOptions options;
  options.learned = &learned;
  const ScanReport report = scan_file(path, options);
  CHECK(report.incomplete.empty());
  CHECK(said_by(report).find(value) == std::string::npos);
  for (const Finding& finding : report.findings)
    if (finding.learned && finding.learned_index == 1) return true;
  return false;
}

}  // namespace

TEST_CASE("planting: every form is found in every container") {
  for (const std::string_view value : {odd_password, session_id}) {
    for (const Form& form : forms()) {
      for (const Container& container : containers()) {
        INFO(form.name << " in " << container.name << " of " << value.size());
        const Folder folder;
        CHECK(found(container.write(folder, form.encode(value)), value));
      }
    }
  }
}

TEST_CASE("planting: values are found in nested containers") {
  const std::string body = surrounded(std::string(session_id));
  // Hex compresses to half, so that the value after it is not readable in the compressed bytes.
  const std::string padding = hex(noise(60'000));
  const Folder folder;
  SECTION("gzip in zstd in a column") { CHECK(found(row_with(folder, zstd(gzip(body))), session_id)); }
  SECTION("a body that begins anywhere on an overflow page") {
    // In some of these, the frame is cut where the scan joins two pages.
    for (std::size_t before = 600; before < 1200; before += 37) {
      INFO(before);
      const fs::path path = folder / ("small-pages-" + std::to_string(before));
      {
        const Database db(path);
        db.run("PRAGMA page_size = 512");
        db.run("CREATE TABLE bodies(id INTEGER PRIMARY KEY, body BLOB)");
        db.run("INSERT INTO bodies(body) VALUES(?)", std::string(before, '.') + zstd(padding.substr(0, 5000) + body));
      }
      CHECK(found(path, session_id));
    }
  }
  SECTION("a cut gzip file") {
    const std::string packed = gzip(body + padding);
    CHECK(found(folder.write("cut.gz", packed.substr(0, packed.size() / 2)), session_id));
  }
  SECTION("bytes behind the last page") {
    const fs::path path = row_with(folder, "nothing");
    std::ofstream(path, std::ios::binary | std::ios::app) << body;
    CHECK(found(path, session_id));
  }
  SECTION("an integer") {
    const Database db(folder / "number.db");
    db.run("CREATE TABLE t(n INTEGER); INSERT INTO t VALUES(7381920465519283746)");
    CHECK(found(folder / "number.db", "7381920465519283746"));
  }
  SECTION("a file's name, which is then withheld") {
    CHECK(found(folder.write("log-" + std::string(session_id) + ".txt", "nothing"), session_id));
  }
  SECTION("a table's name, which is then withheld") {
    const Database db(folder / "names.db");
    db.run("CREATE TABLE \"" + std::string(session_id) + "\"(a); INSERT INTO \"" + std::string(session_id) +
           "\" VALUES('" + std::string(session_id) + "')");
    CHECK(found(folder / "names.db", session_id));
  }
}

TEST_CASE("planting: write-ahead logs and journals are searched with their database") {
  const Folder folder;
  const fs::path path = folder / "live.cassette";
  const std::string secret(session_id);
  SECTION("write-ahead log") {
    const Database db(path);
    create(db);
    db.run("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0");
    db.run("INSERT INTO bodies(body) VALUES(?)", surrounded(secret));
    CHECK(found(path, secret));
  }
  SECTION("rollback journal") {
    const Database db(path);
    create(db);
    db.run("INSERT INTO bodies(body) VALUES(?)", surrounded(secret));
    db.run("PRAGMA secure_delete=ON; PRAGMA cache_spill=OFF; PRAGMA journal_mode=PERSIST");
    db.run("BEGIN; DELETE FROM bodies; ");
    const fs::path copy = folder / "copy";
    db.run("COMMIT");
    fs::create_directory(copy);
    std::error_code none;
    fs::copy_file(path.string() + "-journal", copy / "live.cassette-journal", none);
    REQUIRE(!none);
    CHECK(found(copy / "live.cassette-journal", secret));
  }
}

TEST_CASE("planting: a value that is added twice gets the search that finds more") {
  const std::string value = "Tr0ub4dor&3-Horse", text = "a note: x" + value + "y";
  for (const auto& [first, second] : {std::pair(Search::named, Search::anywhere),
                                      {Search::anywhere, Search::named},
                                      {Search::word, Search::anywhere},
                                      {Search::named, Search::named}}) {
    LearnedValues learned;
    learned.add(value, first);
    learned.add(value, second);
    ScanOptions options;
    options.learned = &learned;
    CHECK(learned.size() == 1);
    CHECK(scan_bytes(text, "body", options).learned == (std::max(first, second) == Search::anywhere ? 1 : 0));
  }
}

TEST_CASE("planting: non-ASCII characters are found in UTF-8 and escapes") {
  LearnedValues learned;
  learned.add("p\xc3\xa4ssw\xd0\xb6rd-\xe2\x82\xac");
  ScanOptions options;
  options.learned = &learned;
  const std::vector<std::string> texts = {"p\xc3\xa4ssw\xd0\xb6rd-\xe2\x82\xac", "p%C3%A4ssw%D0%B6rd-%E2%82%AC",
                                          "p\\u00e4ssw\\u0436rd-\\u20ac"};
  for (const std::string& text : texts) CHECK(scan_bytes(surrounded(text), "body", options).learned == 1);
  // The first and the last characters of one, two, and three bytes.
  learned.add("edges-\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbd-of-lengths");
  CHECK(scan_bytes(surrounded("edges-\\u007f\\u0080\\u07ff\\u0800\\ufffd-of-lengths"), "body", options).learned == 1);
}

TEST_CASE("planting: short values are found as whole words") {
  LearnedValues learned;
  learned.add("4711", Search::word);
  learned.add("a-b", Search::word);
  learned.add("Zo\xc3\xab", Search::word);
  learned.add("xy", Search::word);  // too short, so only found beside telling names
  ScanOptions options;
  options.learned = &learned;
  options.heuristics = false;
  struct Row {
    std::string text;
    std::size_t findings;
  };
  const std::vector<Row> rows = {
      {"4711", 1},
      {R"({"n":4711,"s":"4711"})", 1},
      {"pin=4711&x=1", 1},
      {"pin%3D4711%26x", 1},
      {R"("\u0034\u0037\u0031\u0031")", 1},
      {gzip("in it 4711 stands"), 1},
      {base64("in a longer text 4711 stands"), 1},
      {"x_4711_y", 1},
      {"14711", 0},
      {"47112", 0},
      {"a4711", 0},
      {"1700004711", 0},
      {"a-b and Zo\xc3\xab", 2},
      {"aa-b a-bb", 0},
      {"xy", 0},
      {"passwd=xy", 1},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(scan_bytes(row.text, "body", options).learned == row.findings);
  }
}

TEST_CASE("planting: only unfinished and unverified cassettes are reported as unsettled") {
  struct Row {
    const char* application_id;
    const char* takes;
    const char* says;  ///< empty: no note
  };
  const Row rows[] = {
      {"0x5470646b", "(1, 1), (1, 1)", ""},
      {"0x5470646b", "(1, 1), (1, 0)", "unverified"},
      {"0x5470646b", "(0, 0), (1, 1)", "unfinished"},
      {"1", "(0, 0)", ""},
  };
  const tapedeck::scan::testing::Folder folder;
  for (const Row& row : rows) {
    INFO(row.application_id << " " << row.takes);
    const auto path = folder.write("x.cassette", "");
    tapedeck::scan::testing::Database(path).run(
        "PRAGMA application_id = " + std::string(row.application_id) +
        "; DROP TABLE IF EXISTS take; CREATE TABLE take(finished INTEGER, verified INTEGER);"
        "INSERT INTO take VALUES " +
        row.takes);
    const ScanReport report = scan_file(path, {});
    CHECK(report.incomplete.empty());
    REQUIRE(report.unsettled.size() == (*row.says == '\0' ? 0 : 1));
    const bool is_settled = std::string_view(row.application_id) != "1" && *row.says == '\0';
    CHECK(report.settled.size() == (is_settled ? 1 : 0));
    if (*row.says != '\0') CHECK(report.unsettled[0].find(row.says) != std::string::npos);
  }
}

TEST_CASE("planting: short and common values count only as a whole value beside a telling name") {
  LearnedValues learned;
  learned.add("123456");
  learned.add("administrator", Search::named);
  ScanOptions options;
  options.learned = &learned;
  struct Row {
    std::string text;
    std::size_t findings;
  };
  const std::vector<Row> rows = {
      {R"({"otp_code":"123456"})", 1},
      {R"({"otp_code":123456})", 1},
      {"otp_code=123456&x=1", 1},
      {"x=1%26otp_code%3D123456", 1},
      {"Cookie: id=123456; a=b", 1},
      {R"({\"passwd\":\"administrator\"})", 1},
      {R"(["passwd","administrator"])", 1},
      {"<password>administrator</password>", 1},
      {base64("passwd=administrator"), 1},
      {R"({"otp_code":"1234567"})", 0},
      {R"({"size":123456,"time":1234567890})", 0},
      {R"({"group":"administrator","passwd":"administrators"})", 0},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(scan_bytes(row.text, "body", options).learned == row.findings);
  }
}

TEST_CASE("planting: a short ID is found in a column named id unless it is the row number") {
  LearnedValues learned;
  learned.add("5", Search::named);
  ScanOptions options;
  options.learned = &learned;
  struct Row {
    std::string sql;
    std::size_t findings;
  };
  const std::vector<Row> rows = {
      {"CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT) STRICT", 0},
      {"CREATE TABLE t(id INTEGER, x TEXT) STRICT", 0},  // the fifth row still has the number 5
      {"CREATE TABLE t(x TEXT, id TEXT) STRICT", 1},
      {"CREATE TABLE t(x TEXT, id BLOB) STRICT", 1},
      {"CREATE TABLE t(x TEXT, sid INTEGER) STRICT", 1},
      {"CREATE TABLE t(id INTEGER, x TEXT PRIMARY KEY) STRICT, WITHOUT ROWID", 1},
  };
  for (const Row& row : rows) {
    INFO(row.sql);
    const Folder folder;
    {
      Database db(folder / "ids.db");
      db.run(row.sql);
      const std::string name = row.sql.find("sid") != std::string::npos ? "sid" : "id";
      const bool is_blob = row.sql.find("id BLOB") != std::string::npos;
      for (int i = 1; i <= 6; ++i) {
        const std::string number = std::to_string(i);
        db.run("INSERT INTO t(x, " + name + ") VALUES('row " + number + "', " +
               (is_blob ? "CAST('" + number + "' AS BLOB)" : number) + ")");
      }
    }
    CHECK(scan_file(folder / "ids.db", options).learned == row.findings);
  }
}
