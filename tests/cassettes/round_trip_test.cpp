#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/content_hash.h"
#include "tests/cassettes/session_id.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteReader;
using cassettes::FullInteraction;
using scrubbers::InteractionRecord;

namespace {

void check_equal(const InteractionRecord& a, const InteractionRecord& b) {
  CHECK(a.request.method == b.request.method);
  CHECK(a.request.target == b.request.target);
  CHECK(a.request.minor_version == b.request.minor_version);
  CHECK(a.request.headers == b.request.headers);
  CHECK(a.request.body == b.request.body);
  CHECK(a.response.status == b.response.status);
  CHECK(a.response.reason == b.response.reason);
  CHECK(a.response.headers == b.response.headers);
  CHECK(a.response.body == b.response.body);
  CHECK(a.redactions == b.redactions);
  CHECK(a.completeness == b.completeness);
  CHECK(a.reason == b.reason);
  CHECK(a.withheld_digest == b.withheld_digest);
  CHECK(a.withheld_bytes == b.withheld_bytes);
  CHECK(a.key.text == b.key.text);
  CHECK(a.key.is_call == b.key.is_call);
  CHECK(a.key.api.full() == b.key.api.full());
  CHECK(a.key.version == b.key.version);
  CHECK(a.key.method == b.key.method);
  CHECK(a.key.has_holes == b.key.has_holes);
  CHECK(a.effect == b.effect);
  CHECK(a.session == b.session);
  CHECK(a.account == b.account);
  CHECK(a.started_us == b.started_us);
  CHECK(a.ended_us == b.ended_us);
}

std::vector<Recorded> one_of_each() {
  using namespace std::string_literals;
  return timed({
      login("tester", sid).with_header("Set-Cookie", "id=" + std::string(sid) + "; path=/"),
      record("SVC.Core.AppPortal/1/list?additional=[\"default_setting\"]", R"({"data":[1],"success":true})", sid),
      record("SVC.Core.Network/1/get", "{\"data\":\"a\0b\",\"success\":true}"s, sid),
      record("SVC.Core.Nothing/1/get", "", sid),
      record_target("GET", "/webman/\xff\xfe.js?v=%00", "var a = 1;\n"),
      record_target("POST", target_of("SVC.Core.Network/2/set", sid), ok).with_form("hostname=nas&dns=192.0.2.1"),
      record("SVC.Core.Gone/1/get", error(119), sid).with_status(200, ""),
      record("SVC.Core.Cut/1/get", R"({"data":)", sid).broken("the answer was cut"),
      record("SVC.Core.Long/1/get", "", sid).withheld("longer than the limit"),
      record("SVC.Core.Odd/1/get", "\xc3\x28 not utf-8", sid).with_status(502, "Bad\xe9 Gateway"),
  });
}

}  // namespace

TEST_CASE("cassette: the reader returns every written field") {
  const TestCassette cassette;
  scrubbers::Scrubber scrubber({});
  std::vector<InteractionRecord> put;
  {
    auto writer = std::make_unique<cassettes::CassetteWriter>(cassette.path(), fixture_take());
    for (const Recorded& row : one_of_each()) {
      auto one = scrubber.scrub(row.interaction);
      put.push_back(one.record());
      writer->append(std::move(one), nullptr);
    }
    cassettes::FinishOptions options;
    options.scrubber = &scrubber;
    const auto report = cassettes::finish(std::move(writer), options);
    INFO(report.failure);
    REQUIRE(report.finished);
    CHECK(report.interactions == put.size());
  }
  const CassetteReader reader(cassette.path());
  CHECK(reader.info().interactions == put.size());
  CHECK(reader.info().finished);
  CHECK(reader.info().verified);
  CHECK(reader.info().labels == std::vector<std::string>{"SVC"});
  std::size_t seen = 0;
  reader.each([&](const FullInteraction& got) {
    const auto same = std::find_if(
        put.begin(), put.end(), [&](const InteractionRecord& one) { return one.started_us == got.record.started_us; });
    REQUIRE(same != put.end());
    INFO(got.record.key.text);
    check_equal(got.record, *same);
    CHECK(got.line.key == same->key.text);
    CHECK(got.line.body_bytes == same->response.body.size());
    const auto by_id = reader.get(got.line.id);
    REQUIRE(by_id);
    CHECK(by_id->line.interaction == got.line.interaction);
    ++seen;
    return true;
  });
  CHECK(seen == put.size());
}

TEST_CASE("cassette: a finished one is a single file of mode 0600 without session IDs and passwords") {
  const auto cassette = cassette_with(one_of_each());
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(cassette.folder().path())) {
    names.push_back(entry.path().filename());
  }
  CHECK(names == std::vector<std::string>{"test.cassette"});
  struct stat status {};
  REQUIRE(stat(cassette.path().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  std::ifstream file(cassette.path(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  CHECK(bytes.find(sid) == std::string::npos);
  CHECK(bytes.find("Zx9-fixture-pass!7") == std::string::npos);
  CHECK(bytes.substr(68, 4) == "Tpdk");
}

TEST_CASE("cassette: a sequence plays in order without skipped and hidden responses") {
  const auto cassette = cassette_with({
      record("SVC.Core.Network/1/get", error(119), sid),
      record("SVC.Core.Network/1/get", R"({"data":1,"success":true})", sid),
      record("SVC.Core.Network/1/get", R"({"data":)", sid).broken("cut"),
      record("SVC.Core.Network/1/set", ok, sid),
      record("SVC.Core.Network/1/get", R"({"data":2,"success":true})", sid),
      record("SVC.Core.Cut/1/get", "", sid).broken("cut"),
  });
  const CassetteReader reader(cassette.path());
  const auto sequences = reader.sequences("SVC.Core.Network/1/get");
  REQUIRE(sequences.size() == 1);
  CHECK(sequences[0].take == 1);
  CHECK(sequences[0].lane == 1);
  CHECK(sequences[0].count == 2);
  CHECK(sequences[0].hidden == 1);
  CHECK(sequences[0].succeeded);
  CHECK_FALSE(sequences[0].many_sessions);
  CHECK(reader.answer(sequences[0], 0).body == R"({"data":1,"success":true})");
  CHECK(reader.answer(sequences[0], 1).body == R"({"data":2,"success":true})");
  CHECK(reader.answer(sequences[0], 0).error_code == 0);
  CHECK(reader.segments(sequences[0], 0, 10) == std::vector<std::uint32_t>{0, 1});
  CHECK(reader.segments(sequences[0], 1, 10) == std::vector<std::uint32_t>{1});
  CHECK(reader.answer(sequences[0], 2).error_code == 119);
  CHECK_THROWS(reader.answer(sequences[0], 3));
  CHECK(reader.lanes(1) == 1);

  const auto hidden = reader.sequences("SVC.Core.Cut/1/get");
  REQUIRE(hidden.size() == 1);
  CHECK(hidden[0].count == 0);
  CHECK(hidden[0].hidden == 1);
  CHECK(reader.sequences("SVC.Core.Network/9/get").empty());
}

TEST_CASE("cassette: lists keys and operations by API and method") {
  const auto cassette = cassette_with({
      record("SVC.Core.Network/2/get", ok),
      record("SVC.Core.Network/1/Get?a=1", ok),
      record("ABC.Core.Network/1/get", ok),
      record("SVC.Core.System/1/info", ok),
      record_target("GET", "/scripts/boot.js", "x"),
  });
  const CassetteReader reader(cassette.path());
  std::vector<std::string> keys;
  for (const auto& key : reader.keys_of("Core.Network", "GET", 10)) keys.push_back(key.text);
  CHECK(keys ==
        std::vector<std::string>{"ABC.Core.Network/1/get", "SVC.Core.Network/1/get?a=1", "SVC.Core.Network/2/get"});
  CHECK(reader.keys_of("Core.Network", "get", 2).size() == 2);
  CHECK(reader.keys_of("Core.Network", "set", 2).empty());
  CHECK(reader.has_api("Core.System"));
  CHECK_FALSE(reader.has_api("Core.Systems"));
  CHECK(reader.info().labels == std::vector<std::string>{"ABC", "SVC"});
  CHECK(reader.operations().size() == 4);
  CHECK(reader.operations()[0].api == "ABC.Core.Network");
}

TEST_CASE("cassette: the newest of several takes comes first") {
  const auto cassette = cassette_with({record("SVC.Core.Network/1/get", R"({"data":1,"success":true})", sid)});
  std::string first_id;
  CassetteReader(cassette.path()).list([&](const auto& line) {
    first_id = line.id;
    return true;
  });
  record_take(cassette.path(), {record("SVC.Core.Network/1/get", R"({"data":2,"success":true})", sid)});
  const CassetteReader reader(cassette.path());
  REQUIRE(reader.info().takes.size() == 2);
  CHECK(reader.info().takes[1].number == 2);
  CHECK(reader.info().interactions == 2);
  const auto sequences = reader.sequences("SVC.Core.Network/1/get");
  REQUIRE(sequences.size() == 2);
  CHECK(sequences[0].take == 2);
  CHECK(reader.answer(sequences[0], 0).body == R"({"data":2,"success":true})");
  CHECK(reader.answer(sequences[1], 0).body == R"({"data":1,"success":true})");
  CHECK(reader.answer(sequences[1], 0).id == first_id);
}

TEST_CASE("cassette: finds an interaction by a unique prefix of its ID") {
  const auto cassette = cassette_with({record("SVC.Core.Network/1/get", ok)});
  const CassetteReader reader(cassette.path());
  std::string id;
  reader.list([&](const auto& line) {
    id = line.id;
    return true;
  });
  REQUIRE(id.size() == 16);
  CHECK(reader.get(id));
  CHECK(reader.get(id.substr(0, 5)));
  CHECK_FALSE(reader.get(id.substr(0, 3)));
  CHECK_FALSE(reader.get(id + "0"));
  CHECK_FALSE(reader.get("not an id"));
  CHECK_FALSE(reader.get(""));
}

TEST_CASE("cassette: a clone reads the same content") {
  const auto cassette = cassette_with({record("SVC.Core.Network/1/get", ok)});
  const CassetteReader reader(cassette.path());
  const CassetteReader other = reader.clone();
  CHECK(cassettes::content_hash(other) == cassettes::content_hash(reader));
}
