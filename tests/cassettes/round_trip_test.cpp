#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cassettes/file/interaction_id.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/content_hash.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteReader;
using cassettes::FullInteraction;
using scrubbers::InteractionRecord;

namespace {

constexpr std::string_view sid = "Kq3xV9-fixture_session-Lm2pQ7";

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

TEST_CASE("cassette: the reader gives back every field that went in") {
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

TEST_CASE("cassette: a finished one is a single file of mode 0600 and holds no session id or password") {
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

TEST_CASE("cassette: a sequence plays in order and skips what is passed over or hidden") {
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
  CHECK_THROWS(reader.answer(sequences[0], 2));
  CHECK(reader.lanes(1) == 1);

  const auto hidden = reader.sequences("SVC.Core.Cut/1/get");
  REQUIRE(hidden.size() == 1);
  CHECK(hidden[0].count == 0);
  CHECK(hidden[0].hidden == 1);
  CHECK(reader.sequences("SVC.Core.Network/9/get").empty());
}

TEST_CASE("cassette: what a key finds has the first answer of an only sequence, unless it is large") {
  const std::string large = R"({"data":")" + std::string(100'000, 'x') + R"(","success":true})";
  const std::string body_1 = R"({"data":1,"success":true})", body_2 = R"({"data":2,"success":true})";
  const auto cassette = cassette_with({
      record("SVC.Core.Once/1/get", body_1),
      record("SVC.Core.Shared/1/get", body_1),
      record("SVC.Core.Twice/1/get", body_1),
      record("SVC.Core.Twice/1/get", body_2),
      record("SVC.Core.Lanes/1/get", body_1),
      record("SVC.Core.Lanes/1/get", body_2, sid),
      record("SVC.Core.Large/1/get", large),
      record("SVC.Core.Cut/1/get", "").broken("cut"),
      record("SVC.Core.Empty/1/get", ""),
  });
  const CassetteReader reader(cassette.path());
  struct Case {
    std::string key;
    std::size_t sequences;
    std::optional<std::string> first;
  };
  const std::vector<Case> cases = {
      {"SVC.Core.Once/1/get", 1, body_1},        {"SVC.Core.Shared/1/get", 1, body_1},
      {"SVC.Core.Twice/1/get", 1, body_1},       {"SVC.Core.Lanes/1/get", 2, std::nullopt},
      {"SVC.Core.Large/1/get", 1, std::nullopt}, {"SVC.Core.Cut/1/get", 1, std::nullopt},
      {"SVC.Core.Empty/1/get", 1, ""},           {"SVC.Core.Absent/1/get", 0, std::nullopt},
  };
  for (const Case& row : cases) {
    INFO(row.key);
    const cassettes::KeyLookup found = reader.look_up(row.key);
    REQUIRE(found.sequences.size() == row.sequences);
    REQUIRE(found.first.has_value() == row.first.has_value());
    if (!found.first) continue;
    CHECK(found.first->body == *row.first);
    const cassettes::PlayedAnswer again = reader.answer(found.sequences[0], 0);
    CHECK(again.id == found.first->id);
    CHECK(again.number == found.first->number);
    CHECK(again.number == found.sequences[0].number);
    CHECK(again.body == found.first->body);
  }
  CHECK(reader.answer(reader.sequences("SVC.Core.Large/1/get").at(0), 0).body == large);
}

TEST_CASE("cassette: keys whose hashes begin alike share a place, and each is found") {
  // The first 32 bits of these keys' hashes are the same; such three were searched for.
  const std::vector<std::string> alike = {"SVC.Core.Share/1/get?n=1756576", "SVC.Core.Share/1/get?n=2535015",
                                          "SVC.Core.Share/1/get?n=2828573"};
  const std::int64_t place = cassettes::first_row(cassettes::key_hash(alike[0]));
  for (const std::string& key : alike) REQUIRE(cassettes::first_row(cassettes::key_hash(key)) == place);
  const auto answer = [](std::size_t key, int n) {
    return R"({"data":")" + std::to_string(key) + "-" + std::to_string(n) + R"(","success":true})";
  };
  for (unsigned present = 1; present < 8; ++present) {
    INFO("of the three are there: " << present);
    std::vector<Recorded> rows = {record("SVC.Core.Other/1/get", ok)};
    for (std::size_t key = 0; key < alike.size(); ++key) {
      if ((present >> key & 1) == 0) continue;
      rows.push_back(record(alike[key], answer(key, 0)));
      rows.push_back(record(alike[key], answer(key, 1), sid));
      rows.push_back(record(alike[key], answer(key, 2), sid));
    }
    const auto cassette = cassette_with(rows);
    const CassetteReader reader(cassette.path());
    CHECK(reader.info().interactions == rows.size());
    for (std::size_t key = 0; key < alike.size(); ++key) {
      const auto sequences = reader.look_up(alike[key]).sequences;
      if ((present >> key & 1) == 0) {
        CHECK(sequences.empty());
        continue;
      }
      REQUIRE(sequences.size() == 2);
      CHECK(sequences[0].id >= place);
      CHECK(sequences[1].id < place + 9);
      CHECK(reader.answer(sequences[0], 0).body == answer(key, 0));
      CHECK(reader.answer(sequences[1], 0).body == answer(key, 1));
      CHECK(reader.answer(sequences[1], 1).body == answer(key, 2));
    }
    std::vector<std::string> listed;
    reader.list([&](const auto& line) {
      listed.push_back(line.key);
      const auto got = reader.get(line.id);
      CHECK(got.value().line.key == line.key);
      return true;
    });
    CHECK(listed.size() == rows.size());
    CHECK(std::is_sorted(listed.begin(), listed.end()));
  }
}

TEST_CASE("cassette: keys and operations can be listed by API and method") {
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

TEST_CASE("cassette: a second take is added and the newest comes first") {
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

TEST_CASE("cassette: an id is found by its first digits and an ambiguous or foreign one is not") {
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
