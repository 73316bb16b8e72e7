// Tests the pipeline that ends a recording, and its failures.

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>

#include "base/digest.h"
#include "cassettes/finish/canonical.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/content_hash.h"
#include "tests/cassettes/child_process.h"
#include "tests/cassettes/folder_state.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteReader;
using cassettes::CassetteWriter;
using cassettes::FinishOptions;

namespace {

constexpr std::string_view sid_a = "Kq3xV9-fixture_session-Lm2pQ7";
constexpr std::string_view sid_b = "Tz8wB1-fixture_session-Rf6nD4";

constexpr const char* steps[] = {"scrubbing", "writing", "checking", "scanning", "renaming"};

/// Returns the interactions of two simultaneous clients.
std::vector<Recorded> two_lanes() {
  std::vector<Recorded> rows;
  std::int64_t at = fixture_start_us;
  for (const std::string_view sid : {sid_a, sid_b}) {
    std::int64_t now = at += 300;
    rows.push_back(login("tester", sid).at(now, now + 100));
    for (int i = 0; i < 5; ++i) {
      now += 1000;
      rows.push_back(record("SVC.Core.System/1/info", R"({"data":)" + std::to_string(i) + R"(,"success":true})", sid)
                         .at(now, now + 100));
    }
  }
  return rows;
}

/// The ID of a take is random, so it is a circumstance.
cassettes::Take fixed_take() {
  cassettes::Take take = fixture_take();
  take.id = "sixteen bytes id";
  return take;
}

std::vector<Recorded> many_small_bodies(int count) {
  std::vector<Recorded> rows;
  for (int i = 0; i < count; ++i) {
    std::string body = R"({"data":{"items":[)";
    for (int k = 0; k < 20; ++k) {
      const std::string number = std::to_string((i * 7919 + k * 104729) % 100003);
      body += (k ? "," : "") +
              (R"({"id":)" + number + R"(,"name":"volume_)" + number + R"(","status":"normal","size_total":")" +
               number + R"(000","raid":"raid_)" + std::to_string(k) + R"("})");
    }
    body += R"(]},"success":true})";
    rows.push_back(record("SVC.Storage.Volume/1/list?offset=" + std::to_string(i), body));
  }
  return rows;
}

std::size_t count_in(const std::string& path) { return CassetteReader(path).info().interactions; }

}  // namespace

TEST_CASE("finish: the same content and circumstances give the same bytes") {
  const auto one = cassette_with(two_lanes(), fixed_take());
  const auto other = cassette_with(two_lanes(), fixed_take());
  CHECK(bytes_of(one.path()) == bytes_of(other.path()));
}

TEST_CASE("finish: the commit order of independent lanes has no effect") {
  auto rows = two_lanes();
  const auto one = cassette_with(rows, fixed_take());
  std::rotate(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2), rows.end());
  const auto other = cassette_with(rows, fixed_take());
  CHECK(bytes_of(one.path()) == bytes_of(other.path()));
}

TEST_CASE("finish: finishing again changes nothing") {
  const auto cassette = cassette_with(two_lanes());
  const std::string before = bytes_of(cassette.path());
  scrubbers::Scrubber scrubber({});
  FinishOptions options;
  options.scrubber = &scrubber;
  const auto report = cassettes::finish(cassette.path(), options);
  INFO(report.failure);
  CHECK(report.finished);
  CHECK(bytes_of(cassette.path()) == before);
}

TEST_CASE("finish: the content hash does not depend on circumstances") {
  const auto base = cassette_with(two_lanes());
  const std::string hash = cassettes::content_hash(CassetteReader(base.path()));
  CHECK(hash.size() == 64);

  auto later = two_lanes();
  for (Recorded& row : later) row = std::move(row).at(row.interaction.started_us + 77, row.interaction.ended_us + 99);
  const auto moved = cassette_with(later);
  CHECK(cassettes::content_hash(CassetteReader(moved.path())) == hash);
  CHECK(bytes_of(moved.path()) != bytes_of(base.path()));

  auto changed = two_lanes();
  changed.back().interaction.response.body = R"({"data":9,"success":true})";
  CHECK(cassettes::content_hash(CassetteReader(cassette_with(changed).path())) != hash);
}

TEST_CASE("finish: simultaneous clients are two lanes of one key") {
  const auto cassette = cassette_with(two_lanes());
  const CassetteReader reader(cassette.path());
  CHECK(reader.lanes(1) == 2);
  const auto sequences = reader.sequences("SVC.Core.System/1/info");
  REQUIRE(sequences.size() == 2);
  CHECK(sequences[0].lane == 1);
  CHECK(sequences[1].lane == 2);
  CHECK(sequences[0].count == 5);
}

TEST_CASE("finish: invariant 4: stopping at any step keeps the recording") {
  for (const char* stop_at : steps) {
    INFO(stop_at);
    const TestFolder folder;
    const std::string path = folder.file("stopped.cassette");
    scrubbers::Scrubber scrubber({});
    FinishOptions options;
    options.scrubber = &scrubber;
    options.progress = [&](const char* step, std::uint64_t, std::uint64_t) {
      return std::string_view(step) != stop_at;
    };
    const auto report = cassettes::finish(writer_with(path, two_lanes(), scrubber), options);
    CHECK_FALSE(report.finished);
    CHECK_FALSE(report.failure.empty());
    CHECK(folder_state(folder.path()).size() == 1);
    CHECK(count_in(path) == 12);
    options.progress = nullptr;
    CHECK(cassettes::finish(path, options).finished);
    CHECK(count_in(path) == 12);
    CHECK(CassetteReader(path).info().finished);
  }
}

TEST_CASE("finish: invariant 4: a kill at any step leaves files that the next command finishes") {
  for (const char* die_at : steps) {
    INFO(die_at);
    const TestFolder folder;
    const std::string path = folder.file("died.cassette");
    Child child([&](const Child::Send&) {
      scrubbers::Scrubber scrubber({});
      FinishOptions options;
      options.scrubber = &scrubber;
      options.progress = [&](const char* step, std::uint64_t, std::uint64_t) {
        if (std::string_view(step) == die_at) kill(getpid(), SIGKILL);
        return true;
      };
      static_cast<void>(cassettes::finish(writer_with(path, two_lanes(), scrubber), options));
    });
    child.wait();
    CHECK(count_in(path) == 12);
    record_take(path, {record("SVC.Core.System/1/info", ok, sid_a)});
    CHECK(count_in(path) == 13);
    CHECK(folder_state(folder.path()).size() == 1);
  }
}

TEST_CASE("finish: a value that was learned late is in no byte of the finished file") {
  const TestFolder folder;
  const std::string path = folder.file("late.cassette");
  scrubbers::Scrubber scrubber({});
  FinishOptions options;
  options.scrubber = &scrubber;
  const std::vector<Recorded> rows = timed({
      login("another", sid_b),
      record("SVC.Core.Log/1/list", R"({"data":")" + std::string(sid_a) + R"(","success":true})"),
      login("tester", sid_a),
  });
  auto writer = writer_with(path, rows, scrubber);
  CHECK(bytes_of(path + ".recording-wal").find(sid_a) != std::string::npos);
  const auto report = cassettes::finish(std::move(writer), options);
  INFO(report.failure);
  REQUIRE(report.finished);
  CHECK(report.scrubbed_late == 1);
  for (const auto& [name, bytes] : folder_state(folder.path())) CHECK(bytes.find(sid_a) == std::string::npos);
  const CassetteReader reader(path);
  const auto sequences = reader.sequences("SVC.Core.Log/1/list");
  CHECK(reader.answer(sequences[0], 0).body == R"({"data":"<SESSION_ID>","success":true})");
  CHECK(reader.answer(sequences[0], 0).redactions.size() == 1);
}

TEST_CASE("finish: a learned value found in a body removes only that interaction's contents") {
  const std::string hidden = base::to_hex(base::to_hex(base::to_hex(sid_a)));
  const TestFolder folder;
  const std::string path = folder.file("row.cassette");
  scrubbers::Scrubber scrubber({});
  FinishOptions options;
  options.scrubber = &scrubber;
  std::vector<Recorded> rows = {
      login("tester", sid_a),
      record("SVC.Core.Log/1/list", R"({"data":")" + hidden + R"(","success":true})", sid_a),
      record("SVC.Core.System/1/info", ok, sid_a),
  };
  for (Recorded& row : many_small_bodies(GENERATE(0, 600))) rows.push_back(std::move(row));
  rows = timed(std::move(rows));
  const auto report = cassettes::finish(writer_with(path, rows, scrubber), options);
  INFO(report.failure);
  CHECK(report.finished);
  CHECK(report.learned_values_found == 0);
  CHECK(report.quarantined.empty());
  REQUIRE(report.withheld.size() == 1);
  CHECK(report.withheld[0].ends_with(": the leak scan found a learned value"));
  CHECK(count_in(path) == rows.size());
  CHECK(bytes_of(path).find(hidden) == std::string::npos);
  const CassetteReader reader(path);
  for (const auto& sequence : reader.sequences("SVC.Core.Log/1/list")) {
    CHECK(sequence.count == 0);
    CHECK(sequence.hidden == 1);
  }
  CHECK(reader.answer(reader.sequences("SVC.Core.System/1/info")[0], 0).body == ok);
  // Its ID is the one that it would have had.
  CHECK(report.withheld[0].size() > 18);
  FinishOptions again;
  CHECK(cassettes::finish(path, again).finished);
}

TEST_CASE("finish: a learned value found in a request removes only that request") {
  const std::string hidden = base::to_hex(base::to_hex(base::to_hex(sid_a)));
  const TestFolder folder;
  const std::string path = folder.file("request.cassette");
  scrubbers::Scrubber scrubber({});
  FinishOptions options;
  options.scrubber = &scrubber;
  const std::vector<Recorded> rows = timed({
      login("tester", sid_a),
      record("SVC.Core.Log/1/list?name=" + hidden, ok, sid_a),
      record("SVC.Core.Log/1/list?name=" + hidden + "&more=1", ok, sid_a),
      record("SVC.Core.Log/1/list?name=plain", ok, sid_a),
  });
  const auto report = cassettes::finish(writer_with(path, rows, scrubber), options);
  INFO(report.failure);
  REQUIRE(report.finished);
  CHECK(report.withheld.size() == 2);
  CHECK(count_in(path) == 4);
  CHECK(bytes_of(path).find(hidden) == std::string::npos);
  const CassetteReader reader(path);
  const auto withheld = reader.sequences("SVC.Core.Log/1/list");
  REQUIRE(withheld.size() == 1);
  CHECK(withheld[0].hidden == 2);
  CHECK(reader.answer(reader.sequences("SVC.Core.Log/1/list?name=plain")[0], 0).body == ok);
}

TEST_CASE("finish: if the cassette is damaged meanwhile, the new take is kept without raw values") {
  using Damage = std::function<void(const std::string& path)>;
  const auto rewrite = [](const std::function<void(std::string & bytes)>& change) -> Damage {
    return [change](const std::string& path) {
      std::string bytes = bytes_of(path);
      change(bytes);
      write_bytes(path, bytes);
    };
  };
  const std::pair<const char*, Damage> rows[] = {
      {"a changed bit", rewrite([](std::string& bytes) { bytes[bytes.size() / 2] ^= 1; })},
      {"a changed header", rewrite([](std::string& bytes) { bytes.replace(0, 16, 16, 'x'); })},
      {"another format", rewrite([](std::string& bytes) { bytes[63] = 9; })},
      {"half of it", rewrite([](std::string& bytes) { bytes.resize(bytes.size() / 2); })},
      {"a byte less", rewrite([](std::string& bytes) { bytes.pop_back(); })},
      {"nothing in it", rewrite([](std::string& bytes) { bytes.clear(); })},
      {"text in it", rewrite([](std::string& bytes) { bytes = "notes of mine\n"; })},
      {"zeroes behind the first page",
       rewrite([](std::string& bytes) { bytes.replace(4096, bytes.size(), bytes.size() - 4096, '\0'); })},
      {"a table less", [](const std::string& path) { edit_cassette(path, "DROP TABLE redaction"); }},
      {"a folder in its place",
       [](const std::string& path) {
         std::filesystem::remove(path);
         std::filesystem::create_directory(path);
       }},
      {"gone", [](const std::string& path) { std::filesystem::remove(path); }},
  };
  // Stored before they are learned, so that the recording contains them unscrubbed.
  const std::vector<std::string> secrets = {std::string(sid_a), std::string(sid_b), "Zx9-fixture-pass!7"};
  for (const auto& [what, damage] : rows) {
    CAPTURE(what);
    const TestFolder folder;
    const std::string path = folder.file("d.cassette");
    record_take(path, {record("SVC.Core.System/1/info", ok)});
    scrubbers::Scrubber scrubber({});
    FinishOptions options;
    options.scrubber = &scrubber;
    std::string body = R"({"data":[)";
    for (const std::string& secret : secrets) {
      body += "\"" + secret + "\",\"" + base::to_hex(secret) + "\",\"" +
              scrubbers::encode(secret, {{scrubbers::Form::percent}}) + "\",";
    }
    auto writer =
        writer_with(path,
                    timed({record("SVC.Core.Log/1/list", body + R"(1],"success":true})"),
                           record_target("GET", "/page/" + secrets[0] + "?q=" + secrets[1], "text " + secrets[2]),
                           login("tester", sid_a), login("another", sid_b)}),
                    scrubber);
    CHECK(bytes_of(path + ".recording-wal").find(sid_a) != std::string::npos);
    damage(path);
    const bool was_file = std::filesystem::is_regular_file(path);
    const std::string before = was_file ? bytes_of(path) : std::string();
    const auto report = cassettes::finish(std::move(writer), options);
    CAPTURE(report.failure);
    const std::string kept = report.finished ? path : report.left;
    REQUIRE_FALSE(kept.empty());
    CHECK(count_in(kept) == 4);
    CHECK(CassetteReader(kept).info().verified);
    if (!report.finished) {
      CHECK(kept == path + ".unmerged");
      CHECK_FALSE(report.failure.empty());
      CHECK(std::filesystem::is_regular_file(path) == was_file);
      if (was_file) CHECK(bytes_of(path) == before);
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
      if (!entry.is_regular_file()) continue;
      CAPTURE(entry.path().string());
      const std::string content = bytes_of(entry.path().string());
      for (const std::string& secret : secrets) {
        CHECK(content.find(secret) == std::string::npos);
        CHECK(content.find(base::to_hex(secret)) == std::string::npos);
      }
      const std::string name = entry.path().filename().string();
      CHECK((name == "d.cassette" || name == "d.cassette.unmerged"));
    }
  }
}

TEST_CASE("finish: with keep false, the result becomes the failed one and the cassette stays unchanged") {
  const auto cassette = cassette_with({record("SVC.Core.System/1/info", ok)});
  const std::string before = bytes_of(cassette.path());
  for (int i = 0; i < 2; ++i) {
    scrubbers::Scrubber scrubber({});
    FinishOptions options;
    options.scrubber = &scrubber;
    options.keep = false;
    options.unless_empty = true;
    const auto report = cassettes::finish(
        writer_with(cassette.path(), timed({record("SVC.Core.Share/1/list", ok)}), scrubber), options);
    CHECK(report.finished);
    CHECK(report.failed == cassette.path() + ".failed");
    CHECK(bytes_of(cassette.path()) == before);
    CHECK(count_in(report.failed) == 2);
    CHECK(folder_state(cassette.folder().path()).size() == 2);
  }
}

TEST_CASE("finish: a recording without kept interactions leaves the cassette unchanged") {
  const auto cassette = cassette_with({record("SVC.Core.System/1/info", ok)});
  const std::string before = bytes_of(cassette.path());
  scrubbers::Scrubber scrubber({});
  FinishOptions options;
  options.scrubber = &scrubber;
  options.unless_empty = true;
  auto writer = writer_with(cassette.path(), timed({record("SVC.Core.Share/1/list", ok).in_scope("s")}), scrubber);
  writer->tell({cassettes::TakeEvent::Kind::scope_failed, 0, "s", 1});
  const auto report = cassettes::finish(std::move(writer), options);
  CHECK(report.is_unchanged);
  CHECK(bytes_of(cassette.path()) == before);
  CHECK(folder_state(cassette.folder().path()).size() == 1);
}

TEST_CASE("finish: each body is stored once, and as text if it is text") {
  const std::string text = R"({"data":"ä","success":true})";
  const auto cassette =
      cassette_with({record("SVC.A/1/get", text), record("SVC.B/1/get", text),
                     record_target("GET", "/nul", std::string("a\0b", 3)), record_target("GET", "/latin", "caf\xe9")});
  SQLite::Database database(cassette.path());
  CHECK(
      database.execAndGet("SELECT group_concat(typeof(bytes)) FROM (SELECT bytes FROM body ORDER BY id)").getString() ==
      "text,blob,blob");
  CHECK(database.execAndGet("SELECT count(*) FROM recordings WHERE response = '" + text + "'").getInt() == 2);
}

TEST_CASE("finish: does not repair a cassette with a missing or changed interaction") {
  for (const std::string change :
       {"DELETE FROM sequence_entry WHERE interaction = 3", "UPDATE body SET bytes = bytes || 'x' WHERE id = 1"}) {
    CAPTURE(change);
    const auto cassette = cassette_with(two_lanes());
    edit_cassette(cassette.path(), change);
    const std::string before = bytes_of(cassette.path());
    scrubbers::Scrubber scrubber({});
    FinishOptions options;
    options.scrubber = &scrubber;
    CHECK_THROWS_AS(CassetteWriter(cassette.path(), fixture_take()), cassettes::CassetteError);
    CHECK(bytes_of(cassette.path()) == before);
  }
}
