// Tests reviewed suspects of the leak scan: the cassette lists them, and finish() leaves them out.

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "base/digest.h"
#include "cassettes/file/cassette_error.h"
#include "cassettes/file/rows.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/content_hash.h"
#include "scan/leak_scan.h"
#include "tests/cassettes/folder_state.h"
#include "tests/cassettes/session_id.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteError;
using cassettes::CassetteReader;
using cassettes::FinishOptions;
using cassettes::FinishReport;

namespace {

constexpr std::string_view suspect = "access_token = q8Zr2VtXw71LmNb0Kc5Dy9Pj";

Recorded plain_text(std::string_view target, const std::string& body) {
  Recorded recorded = record_target("GET", target, body);
  recorded.interaction.response.headers.set("Content-Type", "text/plain");
  return recorded;
}

/// Returns interactions with small bodies, of which one contains the suspect.
std::vector<Recorded> many_bodies() {
  std::vector<Recorded> rows;
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (int line = 0; line < 5; ++line) {
      text += "The volume " + std::to_string(i * 7919 + line) + " of the fixture is healthy and was checked.\n";
    }
    rows.push_back(plain_text("/notes/" + std::to_string(i) + ".txt", i == 150 ? text + std::string(suspect) : text));
  }
  return rows;
}

FinishReport finish_again(const std::string& path, FinishOptions options = {}) {
  scrubbers::Scrubber scrubber({});
  options.scrubber = &scrubber;
  return cassettes::finish(path, options);
}

FinishOptions allowing(const std::string& fingerprint) {
  FinishOptions options;
  options.allow.insert(fingerprint);
  return options;
}

/// Returns the digits in brackets at the end of a finding's line.
std::string fingerprint_in(const std::string& line) {
  const std::size_t at = line.rfind('[');
  return at == std::string::npos ? std::string() : line.substr(at + 1, 32);
}

using Allowed = std::vector<std::string>;

Allowed allowed_in(const std::string& path) { return CassetteReader(path).info().allowed; }

}  // namespace

TEST_CASE("allowed: a reviewed suspect is stored in the cassette and no longer reported") {
  for (const auto& rows : {std::vector{plain_text("/a.txt", std::string(suspect))}, many_bodies()}) {
    const TestFolder folder;
    const std::string path = folder.file("a.cassette");
    const FinishReport first = record_take(path, rows);
    for (const auto& line : first.findings) UNSCOPED_INFO(line);
    CHECK(first.suspects == 1);
    REQUIRE(first.findings.size() == 1);
    const std::string fingerprint = fingerprint_in(first.findings[0]);
    REQUIRE(scan::is_fingerprint(fingerprint));
    // The fingerprint is the same here and in `tapedeck scan`.
    const scan::ScanReport scanned = scan::scan_file(path, {});
    REQUIRE(scanned.findings.size() == 1);
    CHECK(scanned.findings[0].fingerprint == fingerprint);
    const std::string hash = cassettes::content_hash(CassetteReader(path));

    FinishOptions strict = allowing(fingerprint);
    strict.strict_scan = true;
    const FinishReport reviewed = finish_again(path, strict);
    INFO(reviewed.failure);
    CHECK(reviewed.finished);
    CHECK(reviewed.suspects == 0);
    CHECK(reviewed.allowed == 1);
    CHECK(reviewed.findings.empty());
    CHECK(reviewed.unmatched.empty());
    CHECK(allowed_in(path) == Allowed{fingerprint});
    CHECK(cassettes::content_hash(CassetteReader(path)) == hash);

    // A later scrub, which changes no byte, and a later take keep it.
    const std::string bytes = bytes_of(path);
    CHECK(finish_again(path).allowed == 1);
    CHECK(bytes_of(path) == bytes);
    const FinishReport longer = record_take(path, {plain_text("/b.txt", "nothing to see")});
    CHECK(longer.suspects == 0);
    CHECK(longer.allowed == 1);
    CHECK(allowed_in(path) == Allowed{fingerprint});

    FinishOptions back;
    back.disallow.insert(fingerprint);
    back.strict_scan = true;
    const FinishReport taken_back = finish_again(path, back);
    CHECK_FALSE(taken_back.finished);
    CHECK(taken_back.suspects == 1);
    CHECK(allowed_in(taken_back.quarantined).empty());
  }
}

TEST_CASE("allowed: an unfinished recording keeps and shows the list of earlier takes") {
  const TestFolder folder;
  const std::string path = folder.file("a.cassette");
  const std::string fingerprint =
      fingerprint_in(record_take(path, {plain_text("/a", std::string(suspect))}).findings[0]);
  REQUIRE(finish_again(path, allowing(fingerprint)).finished);
  scrubbers::Scrubber scrubber({});
  cassettes::CassetteWriter writer(path, fixture_take());
  writer.append(scrubber.scrub(plain_text("/b", "text").interaction), nullptr, 0);
  writer.flush();
  CHECK(allowed_in(path) == Allowed{fingerprint});
}

TEST_CASE("allowed: reports a fingerprint that no suspect has") {
  const std::string unknown = "0123456789abcdef0123456789abcdef";
  const auto cassette = cassette_with({plain_text("/a", std::string(suspect))});
  const FinishReport report = finish_again(cassette.path(), allowing(unknown));
  CHECK(report.finished);
  CHECK(report.suspects == 1);
  CHECK(report.unmatched == Allowed{unknown});
  FinishOptions unscanned = allowing(unknown);
  unscanned.scan = false;
  CHECK(finish_again(cassette.path(), unscanned).unmatched.empty());
}

TEST_CASE("allowed: a learned value is always reported") {
  const std::string hidden = base::to_hex(base::to_hex(base::to_hex(sid)));
  const TestFolder folder;
  const std::string path = folder.file("a.cassette");
  record_take(path, {record("SVC.Core.Log/1/list", R"({"data":")" + hidden + R"(","success":true})")});
  scan::LearnedValues learned;
  learned.add(sid);
  scan::ScanOptions scanning;
  scanning.learned = &learned;
  const scan::ScanReport scanned = scan::scan_file(path, scanning);
  REQUIRE(scanned.learned > 0);

  scrubbers::Scrubber scrubber({});
  auto writer = std::make_unique<cassettes::CassetteWriter>(path, fixture_take());
  writer->append(scrubber.scrub(login("tester", sid).interaction), nullptr, 0);
  writer->flush();
  FinishOptions options;
  options.scrubber = &scrubber;
  for (const scan::Finding& finding : scanned.findings) options.allow.insert(finding.fingerprint);
  const FinishReport report = cassettes::finish(std::move(writer), options);
  CHECK(report.finished);
  CHECK(report.withheld.size() == 1);
  CHECK(report.unmatched.size() == options.allow.size());
}

TEST_CASE("allowed: rejects foreign rows in meta") {
  const std::string digits = "0123456789abcdef0123456789abcdef";
  const std::vector<std::string> statements = {
      "INSERT INTO meta VALUES('note', 'hello')",
      "INSERT INTO meta VALUES('allowed:', '')",
      "INSERT INTO meta VALUES('allowed:" + digits + "0', '')",
      "INSERT INTO meta VALUES('allowed:0123456789ABCDEF0123456789ABCDEF', '')",
      "INSERT INTO meta VALUES('allowed:' || char(27) || '[2J', '')",
      "INSERT INTO meta VALUES('allowed:" + digits + "', 'why')",
      "INSERT INTO meta VALUES('allowed:" + digits + "' || char(0) || 'x', '')",
      "INSERT INTO meta WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
      " SELECT 'allowed:' || printf('%032x', i), '' FROM n",
  };
  for (const std::string& sql : statements) {
    INFO(sql);
    const auto cassette = cassette_with({plain_text("/a", "text")});
    edit_cassette(cassette.path(), sql);
    CHECK_THROWS_AS(CassetteReader(cassette.path()), CassetteError);
    CHECK_THROWS_AS(static_cast<void>(finish_again(cassette.path())), CassetteError);
  }
  const auto cassette = cassette_with({plain_text("/a", "text")});
  edit_cassette(cassette.path(), "INSERT INTO meta VALUES('allowed:" + digits + "', '')");
  CHECK(allowed_in(cassette.path()) == Allowed{digits});
}

TEST_CASE("allowed: the list of a cassette is limited when it grows") {
  const auto cassette = cassette_with({plain_text("/a", "text")});
  FinishOptions options;
  for (std::size_t i = 0; i <= cassettes::most_allowed; ++i) {
    options.allow.insert(base::to_hex(base::sha256(std::to_string(i))).substr(0, 32));
  }
  const FinishReport report = finish_again(cassette.path(), options);
  CHECK_FALSE(report.finished);
  CHECK(report.failure.find("10000") != std::string::npos);
  CHECK(allowed_in(cassette.path()).empty());
}
