// Tests parts of compounds, which are separate sequences, and responses to a range (docs/cassette-format.md, sequence).

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "cassettes/file/part_key.h"
#include "cassettes/read/cassette_reader.h"
#include "tests/cassettes/folder_state.h"
#include "tests/cassettes/session_id.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteError;
using cassettes::CassetteReader;
using cassettes::SequenceInfo;

namespace {

std::string part_of(std::string_view call) { return cassettes::part_key(api::RequestKey::parse(call)); }

/// Returns a compound that gets, sets, and gets, and a file that was requested in ranges.
TestCassette with_asides() {
  const std::string own(sid);
  const auto part = [](std::string_view rest) {
    return R"({"api":"SVC.Core.Terminal","version":1,)" + std::string(rest) + "}";
  };
  const std::string parts = "[" + part(R"("method":"get")") + "," + part(R"("method":"set","on":true)") + "," +
                            part(R"("method":"get")") + "]";
  const std::string answers = R"({"data":{"result":[)" + part(R"("data":{"own":")" + own + R"("},"success":true)") +
                              "," + part(R"("success":true)") + "," + part(R"("error":{"code":402},"success":false)") +
                              R"(]},"success":true})";
  const auto range = [&](std::string_view asked, std::string_view body) {
    return record_target("GET", "/f.bin?_sid=" + own, body)
        .with_request_header("Range", asked)
        .with_status(206, "Partial Content");
  };
  return cassette_with({login("tester", sid), record("SVC.Entry.Request/1/request?compound=" + parts, answers, sid),
                        range("bytes=0-1", "01"), range("bytes=2-3", "23"), range("bytes=0-1", "AB"),
                        record("SVC.Core.Terminal/1/list", ok, sid)});
}

TEST_CASE("asides: logins, nested compounds, and parts without a method are left out") {
  const std::string parts =
      R"([{"api":"SVC.Core.Terminal","version":1,"method":"get"},{"api":"SVC.Core.Terminal","version":1},)"
      R"({"api":"SVC.API.Auth","version":6,"method":"login","account":"ann"},)"
      R"({"api":"SVC.Entry.Request","version":1,"method":"request","compound":"[]"},)"
      R"({"api":"SVC.Core.Terminal","version":1,"method":"list"}])";
  const std::string answers =
      R"({"data":{"result":[{"success":true},{"success":true},{"success":true},{"success":true},)"
      R"("none"]},"success":true})";
  const auto cassette = cassette_with({record("SVC.Entry.Request/1/request?compound=" + parts, answers)});
  SQLite::Database file(cassette.path(), SQLite::OPEN_READONLY);
  CHECK(file.execAndGet("SELECT COUNT(*) FROM sequence_entry WHERE place > 0").getInt() == 1);
  CHECK(CassetteReader(cassette.path()).parts(part_of("SVC.Core.Terminal/1/get")).size() == 1);
}

TEST_CASE("asides: the parts of a compound are sequences with their own segments") {
  const auto cassette = with_asides();
  const CassetteReader reader(cassette.path());
  const std::vector<SequenceInfo> gets = reader.parts(part_of("SVC.Core.Terminal/1/get"));
  REQUIRE(gets.size() == 1);
  CHECK(gets[0].count == 2);
  CHECK(gets[0].take == 1);
  CHECK(gets[0].lane == 1);
  CHECK(gets[0].succeeded);
  CHECK(reader.segments(gets[0], 0, 9) == std::vector<std::uint32_t>{0, 1});
  const auto first = reader.answer(gets[0], 0);
  CHECK(first.body == R"({"data":{"own":"<SESSION_ID>"},"success":true})");
  REQUIRE(first.redactions.size() == 1);
  CHECK(first.body.substr(first.redactions[0].offset, first.redactions[0].length) == "<SESSION_ID>");
  CHECK(first.error_code == 0);
  CHECK(first.divides == 0);
  const auto second = reader.answer(gets[0], 1);
  CHECK(second.body == R"({"error":{"code":402},"success":false})");
  CHECK(second.error_code == 402);
  CHECK(second.redactions.empty());

  const std::vector<SequenceInfo> sets = reader.parts(part_of("SYNO.Core.Terminal/1/set?on=true"));
  REQUIRE(sets.size() == 1);
  CHECK(reader.answer(sets[0], 0).divides == 1);
  CHECK(reader.parts(part_of("SVC.Core.Terminal/2/get")).empty());
}

TEST_CASE("asides: a key shows whether parts of compounds respond to it") {
  const std::string get = "SVC.Core.Terminal/1/get", list = "SVC.Core.Terminal/1/list";
  const std::string compound =
      "SVC.Entry.Request/1/request?compound=[{\"api\":\"SYNO.Core.Terminal\",\"version\":1,\"method\":\"get\"}]";
  const auto told = [](std::string_view answer) {
    return R"({"data":{"result":[{"api":"SYNO.Core.Terminal","method":"get","version":1,)" + std::string(answer) +
           R"(}]},"success":true})";
  };
  const std::string done = told(R"("success":true)"), ended = told(R"("error":{"code":119},"success":false)");
  struct Row {
    std::string what;
    std::vector<Recorded> recorded;
    std::string key, scope;
    bool is_alone, has_parts;
  };
  const std::vector<Row> rows = {
      {"alone", {record(get, ok), record(list, ok)}, get, "", true, false},
      {"as a part, too", {record(get, ok), record(compound, done)}, get, "", true, true},
      {"another call", {record(get, ok), record(compound, done), record(list, ok)}, list, "", true, false},
      {"as a part alone", {record(compound, done)}, get, "", false, true},
      {"a part that is passed over", {record(get, ok), record(compound, ended)}, get, "", true, false},
      {"in another scope", {record(get, ok), record(compound, done).in_scope("s")}, get, "", true, false},
      {"in a scope", {record(get, ok).in_scope("s"), record(compound, done).in_scope("s")}, get, "s", true, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const auto cassette = cassette_with(row.recorded);
    const CassetteReader reader(cassette.path());
    CHECK(reader.sequences(api::RequestKey::parse(row.key).text, row.scope).size() == (row.is_alone ? 1 : 0));
    CHECK(reader.parts(part_of(row.key), row.scope).size() == (row.has_parts ? 1 : 0));
    std::uint64_t listed = 0;
    reader.list([&](const auto&) { return ++listed > 0; });
    CHECK(listed == row.recorded.size());
  }
}

TEST_CASE("asides: responses to a range have the range in their key") {
  const auto cassette = with_asides();
  const CassetteReader reader(cassette.path());
  CHECK(reader.sequences("GET /f.bin").empty());
  const auto under = [&](std::string_view range) {
    std::vector<std::string> bodies;
    for (const SequenceInfo& sequence : reader.sequences(api::RequestKey::parse("GET /f.bin").with_range(range).text)) {
      for (std::uint32_t i = 0; i < sequence.count; ++i) bodies.push_back(reader.answer(sequence, i).body);
    }
    return bodies;
  };
  CHECK(under("bytes=0-1") == std::vector<std::string>{"01", "AB"});
  CHECK(under("bytes=2-3") == std::vector<std::string>{"23"});
  CHECK(under("bytes=4-5").empty());
}

TEST_CASE("asides: finishing again changes no byte") {
  const auto cassette = with_asides();
  const std::string before = bytes_of(cassette.path());
  scrubbers::Scrubber scrubber({});
  cassettes::FinishOptions options;
  options.scrubber = &scrubber;
  REQUIRE(cassettes::finish(cassette.path(), options).finished);
  CHECK(bytes_of(cassette.path()) == before);
}

TEST_CASE("asides: rows that refer to missing rows are damage") {
  for (const std::string change :
       {"sequence_entry SET interaction = 5", "sequence_entry SET place = 99", "sequence_entry SET place = 2147483647",
        "sequence SET count = 99", "sequence SET take = -1", "sequence SET lane = 'x'",
        "sequence_entry SET segment = -1", "sequence_entry SET divides = NULL"}) {
    CAPTURE(change);
    const auto cassette = with_asides();
    try {
      edit_cassette(cassette.path(), "UPDATE " + change);
    } catch (const SQLite::Exception&) {
      continue;  // The schema itself excludes this value.
    }
    const CassetteReader reader(cassette.path());
    const auto read_all = [&] {
      for (const SequenceInfo& sequence : reader.parts(part_of("SVC.Core.Terminal/1/get"))) {
        static_cast<void>(reader.segments(sequence, 0, sequence.count));
        for (std::uint32_t i = 0; i < sequence.count; ++i) static_cast<void>(reader.answer(sequence, i));
      }
    };
    CHECK_THROWS_AS(read_all(), CassetteError);
  }
}

}  // namespace
