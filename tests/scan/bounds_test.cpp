// Tests hostile and huge input: bounded work, clear notes, no crash.

#include <catch2/catch.hpp>
#include <ctime>
#include <vector>

#include "tests/scan/scan_support.h"

using namespace tapedeck::scan;
using namespace tapedeck::scan::testing;

namespace {

constexpr std::string_view secret = "kR7vQ2mXw9ZtB4nLs8yD1cJf6HgP3aUe";

ScanReport scan_for_secret(const std::function<ScanReport(const ScanOptions&)>& scan) {
  LearnedValues learned;
  learned.add(secret);
  ScanOptions options;
  options.learned = &learned;
  options.item_budget = 4 << 20;
  options.file_budget = 16 << 20;
  return scan(options);
}

ScanReport scan_for_secret(std::string_view bytes) {
  return scan_for_secret([&](const ScanOptions& options) { return scan_bytes(bytes, "body", options); });
}

}  // namespace

TEST_CASE("bounds: a decompression bomb ends at the budget with a note") {
  const std::string zeros(64 << 20, '\0');
  const std::vector<std::string> bombs = {gzip(zeros), zstd(zeros), gzip(gzip(zeros)),
                                          zstd(gzip(zstd(zeros)) + gzip(zeros))};
  for (const std::string& bomb : bombs) {
    const ScanReport report = scan_for_secret(bomb);
    CHECK(report.incomplete.size() == 1);
    CHECK(report.bytes_decoded < (32u << 20));
  }
}

TEST_CASE("bounds: many frames and false magic numbers cost bounded work") {
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += "\x78\x9c\x78\x01";
  const ScanReport report = scan_for_secret(many);
  CHECK(report.bytes_decoded < (64u << 20));
}

TEST_CASE("bounds: a quarter of a megabyte of one magic number is searched once") {
  using namespace std::string_literals;
  const std::string patterns[] = {
      "=",
      "a=",
      "sid=",
      "a:",
      "a=b&",
      "\"a\":\"a\"",
      "\x78\x9c",
      "\x1f\x8b\x08\x00"s,
      "\x28\xb5\x2f\xfd",
      "\x04\x22\x4d\x18",
      "PK\x03\x04",
      "eyJ",
      "://a:b@",
      "http://a:",
      "-----BEGIN PRIVATE KEY-----",
      "QUFB",
      "%25",
      "\\u003d",
      "&amp;",
      "\0s"s,
  };
  for (const std::string& pattern : patterns) {
    CAPTURE(pattern);
    std::string text;
    while (text.size() < (1u << 18)) text += pattern;
    const std::clock_t before = std::clock();
    static_cast<void>(scan_bytes(text, "body", {}));
    // Processor time: less than 0.1 seconds, and one second with a sanitizer. Without limits, some take more than ten.
    CHECK(std::clock() - before < 5 * CLOCKS_PER_SEC);
  }
}

TEST_CASE("bounds: nesting is followed five levels deep") {
  std::string text(secret);
  for (int level = 1; level <= 7; ++level) {
    text = base64("<" + text + ">");
    INFO(level);
    CHECK(scan_for_secret(text).learned == (level <= 5 ? 1 : 0));
  }
  for (int level = 0; level < 30; ++level) text = base64(text);
  CHECK(scan_for_secret(text.substr(0, 1 << 20)).learned == 0);
}

TEST_CASE("bounds: a hostile database is searched as bytes and noted") {
  const Folder folder;
  const fs::path path = folder / "hostile.cassette";
  {
    const Database db(path);
    db.run("PRAGMA page_size=4096; CREATE TABLE t(a TEXT, b BLOB)");
    for (int i = 0; i < 50; ++i) db.run("INSERT INTO t(b) VALUES(?)", noise(3000, static_cast<std::uint64_t>(i)));
    db.run("INSERT INTO t(b) VALUES(?)", secret);
  }
  std::string good;
  {
    std::ifstream in(path, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto scan = [&] {
    return scan_for_secret([&](const ScanOptions& options) { return scan_file(path, options); });
  };
  SECTION("a header alone") {
    folder.write("hostile.cassette", good.substr(0, 100));
    CHECK_FALSE(scan().incomplete.empty());
  }
  SECTION("a page that is its own child, and a cycle of free pages") {
    std::string bad = good;
    bad[4096] = 5;  // the table's root as an interior page
    for (std::size_t i = 4097; i < 4096 + 200; ++i) bad[i] = static_cast<char>(i % 4 == 3 ? 2 : 0);
    bad.replace(32, 4, std::string("\0\0\0\x03", 4));
    bad.replace(8192, 8, std::string("\0\0\0\x03\xff\xff\xff\xff", 8));
    folder.write("hostile.cassette", bad);
    CHECK_FALSE(scan().incomplete.empty());
  }
  SECTION("a schema that is no SQL") {
    std::string bad = good;
    bad.replace(bad.find("CREATE TABLE"), 12, "CRASH  TABLE");
    folder.write("hostile.cassette", bad);
    const ScanReport report = scan();
    CHECK_FALSE(report.incomplete.empty());
    CHECK(report.learned == 1);
  }
  SECTION("any flipped bytes") {
    for (std::size_t seed = 0; seed < 60; ++seed) {
      std::string bad = good.substr(0, 5 * 4096);
      const std::string random = noise(80, seed);
      for (std::size_t i = 0; i + 2 < random.size(); i += 3) {
        const auto at = static_cast<unsigned char>(random[i]) * 256u + static_cast<unsigned char>(random[i + 1]);
        bad[20 + at % (bad.size() - 20)] = random[i + 2];
      }
      folder.write("hostile.cassette", bad);
      static_cast<void>(scan());
    }
  }
}

TEST_CASE("bounds: folders are walked without following links or waiting for pipes") {
  const Folder folder;
  const Folder outside;
  fs::create_directories(folder / "deep/er");
  folder.write("deep/er/a.log", "x " + std::string(secret));
  outside.write("b.log", "x " + std::string(secret));
  fs::create_directory_symlink(outside.path(), folder / "out");
  fs::create_symlink(outside / "b.log", folder / "b.log");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const ScanReport report =
      scan_for_secret([&](const ScanOptions& options) { return scan_file(folder.path(), options); });
  CHECK(report.files == 1);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].path == (folder / "deep/er/a.log").string());
  CHECK(report.findings[0].place == "offset 2");
}

TEST_CASE("bounds: unreadable files are noted") {
  const Folder folder;
  CHECK(scan_file(folder / "missing", {}).incomplete.size() == 1);
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(scan_file(folder / "pipe", {}).incomplete.size() == 1);
}

TEST_CASE("bounds: progress reaches the total") {
  const Folder folder;
  folder.write("a.log", std::string(6 << 20, 'x'));
  {
    const Database db(folder / "b.cassette");
    db.run("CREATE TABLE t(b BLOB)");
    db.run("INSERT INTO t VALUES(?)", noise(5 << 20));
  }
  ScanOptions options;
  std::vector<std::uint64_t> seen;
  std::uint64_t all = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    seen.push_back(done);
    all = total;
  };
  static_cast<void>(scan_file(folder.path(), options));
  REQUIRE(seen.size() >= 2);
  CHECK(std::is_sorted(seen.begin(), seen.end()));
  CHECK(seen.back() == all);
}

TEST_CASE("bounds: windows of a long file overlap") {
  const Folder folder;
  std::string text(70 << 20, '.');
  text.replace((16u << 20) - 10, secret.size(), secret);
  text.replace((40u << 20) + 3, secret.size(), secret);
  folder.write("long.log", text);
  const ScanReport report =
      scan_for_secret([&](const ScanOptions& options) { return scan_file(folder / "long.log", options); });
  CHECK(report.learned >= 2);
}

TEST_CASE("bounds: two thousand values are searched for at once") {
  LearnedValues learned;
  for (int i = 0; i < 2000; ++i) learned.add(base64(noise(30, static_cast<std::uint64_t>(i) + 5000)));
  ScanOptions options;
  options.learned = &learned;
  const std::string text = noise(1 << 20) + std::string(learned.entries()[777].value) + noise(1000);
  const ScanReport report = scan_bytes(text, "body", options);
  REQUIRE(report.learned == 1);
  CHECK(report.findings[0].learned_index == 777);
}
