// Tests the contents of a cassette besides requests and responses: takes, scopes, marks, IDs, lanes, the pace of
// streams, parts.

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/content_hash.h"
#include "tests/cassettes/folder_state.h"
#include "tests/cassettes/session_id.h"
#include "tests/support/cassette_fixture.h"
#include "tests/support/piecewise_take.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteReader;
using cassettes::TakeEvent;

namespace {

constexpr std::string_view key = "SVC.Core.Network/1/get";

std::string data(int n) { return R"({"data":)" + std::to_string(n) + R"(,"success":true})"; }

/// Returns "name take:run lanes", with a star for an incomplete one.
std::vector<std::string> scopes_of(const CassetteReader& reader) {
  std::vector<std::string> lines;
  reader.scopes([&](const cassettes::ScopeTake& scope) {
    lines.push_back(scope.name + (scope.complete ? " " : "* ") + std::to_string(scope.take) + ":" +
                    std::to_string(scope.run) + " " + std::to_string(scope.lanes));
    return true;
  });
  return lines;
}

std::vector<std::string> ids_of(const CassetteReader& reader) {
  std::vector<std::string> ids;
  reader.list([&](const auto& line) {
    ids.push_back(line.id);
    return true;
  });
  return ids;
}

std::string first_answer(const CassetteReader& reader, std::string_view call, std::string_view scope) {
  const auto found = reader.sequences(call, scope);
  return found.empty() ? "none" : reader.answer(found[0], 0).body;
}

}  // namespace

TEST_CASE("format: a take keeps its ID, its note, and the device's model and firmware") {
  const TestCassette cassette;
  cassettes::Take info = fixture_take();
  info.note = "the lab's small one";
  PiecewiseTake take(cassette.path(), info);
  take.add({record("SVC.DSM.Info/2/getinfo",
                   R"({"data":{"model":"NAS-1","version_string":"OS 7.1-42661"},"success":true})", sid)});
  take.finish();
  PiecewiseTake second(cassette.path());
  // Other methods of these APIs may have members of the same names.
  second.add({record("SVC.Core.System/1/config", R"({"data":{"firmware_ver":"no","model":"no"},"success":true})"),
              record("SVC.DSM.Info/2/list", R"({"data":{"version_string":"no","model":"no"},"success":true})"),
              record("SVC.Core.System/1/info", R"({"data":{"firmware_ver":"OS 7.2","model":"NAS-2"},"success":true})"),
              record("SVC.DSM.Info/2/getinfo", R"({"data":{"model":"later"},"success":true})")});
  second.finish();
  const CassetteReader reader(cassette.path());
  const auto& takes = reader.info().takes;
  REQUIRE(takes.size() == 2);
  CHECK(takes[0].id.size() == 16);
  CHECK(takes[1].id.size() == 16);
  CHECK(takes[0].id != takes[1].id);
  CHECK(takes[0].note == "the lab's small one");
  CHECK(takes[0].model == "NAS-1");
  CHECK(takes[0].firmware == "OS 7.1-42661");
  CHECK(takes[1].note.empty());
  CHECK(takes[1].model == "NAS-2");
  CHECK(takes[1].firmware == "OS 7.2");
}

TEST_CASE("format: a key is found only in its scope") {
  const auto cassette = cassette_with({
      record(key, data(0), sid),
      record(key, data(1), sid).in_scope("login fails"),
      record(key, data(2), sid).in_scope("z/ä#1"),
      record("SVC.Core.Share/1/list", data(3)).in_scope("z/ä#1"),
      record("SVC.Core.Share/1/list", data(4)).in_scope("b"),
  });
  const CassetteReader reader(cassette.path());
  CHECK(first_answer(reader, key, "") == data(0));
  CHECK(first_answer(reader, key, "login fails") == data(1));
  CHECK(first_answer(reader, key, "z/ä#1") == data(2));
  CHECK(first_answer(reader, key, "b") == "none");
  CHECK(first_answer(reader, "SVC.Core.Share/1/list", "") == "none");
  CHECK(reader.scopes_with("SVC.Core.Share/1/list", 10) == std::vector<std::string>{"b", "z/ä#1"});
  CHECK(reader.scopes_with("SVC.Core.Share/1/list", 1) == std::vector<std::string>{"b"});
  CHECK(reader.scopes_with(key, 10).front() == "login fails");
  CHECK(reader.scopes_with("SVC.Core.Share/2/list", 10).empty());
  CHECK(reader.keys_of("Core.Share", "list", 10).empty());
  CHECK(reader.keys_of("Core.Share", "list", 10, true, "b").size() == 1);
  CHECK(reader.keys_of("Core.Share", "list", 10, true, "nobody's").empty());
  CHECK(scopes_of(reader) == std::vector<std::string>{"b 1:1 0", "login fails 1:1 1", "z/ä#1 1:1 1"});
  CHECK(reader.lanes(1) == 1);
  CHECK(reader.lanes(1, "b") == 0);
  CHECK(reader.lanes(1, "nobody's") == 0);
  // The same session ID is another session in each scope.
  std::vector<std::string> listed;
  reader.list([&](const auto& line) {
    listed.push_back(line.scope + " " + std::to_string(line.session) + " " + std::to_string(line.ord));
    CHECK(reader.get(line.id).value().record.scope == line.scope);
    return true;
  });
  CHECK(listed == std::vector<std::string>{" 1 1", "b 0 5", "login fails 1 2", "z/ä#1 1 3", "z/ä#1 0 4"});
}

TEST_CASE("format: the content hash includes scopes") {
  const auto plain = cassette_with({record(key, data(1), sid)});
  const auto scoped = cassette_with({record(key, data(1), sid).in_scope("a")});
  const auto other = cassette_with({record(key, data(1), sid).in_scope("b")});
  const auto again = cassette_with({record(key, data(1), sid).in_scope("a", 7)});
  const auto hash = [](const TestCassette& cassette) {
    return cassettes::content_hash(CassetteReader(cassette.path()));
  };
  CHECK(hash(plain) != hash(scoped));
  CHECK(hash(other) != hash(scoped));
  CHECK(hash(again) == hash(scoped));
}

TEST_CASE("format: no response in a scope is skipped") {
  const std::vector<Recorded> rows = {record(key, error(119), sid), record(key, data(1), sid)};
  std::vector<Recorded> scoped = rows;
  for (Recorded& row : scoped) row.interaction.scope = "expiry";
  const auto outside = cassette_with(rows), inside = cassette_with(scoped);
  CHECK(CassetteReader(outside.path()).sequences(key).at(0).count == 1);
  CHECK(CassetteReader(inside.path()).sequences(key, "expiry").at(0).count == 2);
}

TEST_CASE("format: the last complete run of a scope is kept, or else the last one") {
  struct Case {
    const char* what;
    std::vector<TakeEvent> events;
    bool in_order;
    std::string answer, scopes;
  };
  const auto complete = TakeEvent::Kind::scope_complete, failed = TakeEvent::Kind::scope_failed;
  const std::vector<Case> cases = {
      {"a run that ends in order is complete", {}, true, data(3), "s 1:3 0"},
      {"killed", {}, false, data(3), "s* 1:3 0"},
      {"killed after the second", {{complete, 0, "s", 2}}, false, data(2), "s 1:2 0"},
      {"killed, and another scope was complete", {{complete, 0, "t", 3}}, false, data(3), "s* 1:3 0"},
      {"the third failed", {{failed, 0, "s", 3}}, true, data(2), "s 1:2 0"},
      {"all failed", {{failed, 0, "s", 1}, {failed, 0, "s", 2}, {failed, 0, "s", 3}}, true, "none", ""},
  };
  for (const Case& row : cases) {
    INFO(row.what);
    const TestCassette cassette;
    PiecewiseTake take(cassette.path());
    take.add({record(key, data(1)).in_scope("s", 1), record(key, data(2)).in_scope("s", 2),
              record(key, data(3)).in_scope("s", 3), record(key, data(0))});
    for (const TakeEvent& event : row.events) take.tell(event);
    row.in_order ? take.finish() : take.abandon_and_finish();
    const CassetteReader reader(cassette.path());
    CHECK(first_answer(reader, key, "s") == row.answer);
    CHECK(first_answer(reader, key, "") == data(0));
    const auto scopes = scopes_of(reader);
    const auto found = std::find_if(scopes.begin(), scopes.end(), [](const auto& line) { return line[0] == 's'; });
    CHECK((found == scopes.end() ? "" : *found) == row.scopes);
  }
}

TEST_CASE("format: a learned secret in a scope's name is always redacted") {
  const std::string secret = "made-Up-Secret-77";
  const Recorded tells = record("SVC.Core.A/1/set?passwd=" + secret, ok);
  const Recorded inside = record(key, data(1), sid).in_scope("with " + secret);
  for (const std::vector<Recorded>& rows :
       {std::vector<Recorded>{tells, inside}, {inside, tells}, {inside, tells, inside}}) {
    const auto cassette = cassette_with(rows);
    const CassetteReader reader(cassette.path());
    const std::string name = "with \1PASSWORD\2";
    CHECK(scopes_of(reader).front().starts_with(name));
    CHECK(reader.sequences(key, name).at(0).count == rows.size() - 1);
  }
}

TEST_CASE("format: sessions, accounts, and values are numbered within their scope") {
  const std::string poll = "SVC.Core.Task/1/start";
  const auto task = [](const std::string& id) { return R"({"data":{"task_id":")" + id + R"("},"success":true})"; };
  const auto alone = cassette_with({record(poll, task("Task_Made-Up-0002"), sid).in_scope("b")});
  const auto second = cassette_with({record(poll, task("Task_Made-Up-0001"), sid).in_scope("a"),
                                     record(poll, task("Task_Made-Up-0002"), sid).in_scope("b")});
  const auto row_of = [&](const TestCassette& cassette) {
    scrubbers::InteractionRecord found;
    CassetteReader(cassette.path()).each([&](const auto& one) {
      if (one.line.scope == "b") found = one.record;
      return true;
    });
    return found.redactions;
  };
  REQUIRE_FALSE(row_of(alone).empty());
  CHECK(row_of(second) == row_of(alone));
}

TEST_CASE("format: interactions of a renamed scope keep their IDs") {
  const auto cassette = cassette_with({record(key, data(0), sid), record(key, data(1), sid).in_scope("old"),
                                       record(key, data(2), sid).in_scope("other")});
  const auto ids = [&] {
    std::map<std::string, std::string> by_id;
    CassetteReader(cassette.path()).list([&](const auto& line) {
      by_id[line.id] = line.scope;
      return true;
    });
    return by_id;
  };
  auto expected = ids();
  for (auto& [id, scope] : expected) scope = scope == "old" ? "new" : scope;
  cassettes::FinishOptions options;
  options.scan = false;
  options.rename_scopes = {{"old", "new"}};
  CHECK(cassettes::finish(cassette.path(), options).finished);
  CHECK(ids() == expected);
  const CassetteReader reader(cassette.path());
  CHECK(first_answer(reader, key, "new") == data(1));
  CHECK(first_answer(reader, key, "old") == "none");
  CHECK(reader.info().verified);
}

TEST_CASE("format: a scope without a call is stored") {
  const TestCassette cassette;
  PiecewiseTake take(cassette.path());
  take.add({record(key, data(1))});
  take.tell({TakeEvent::Kind::scope_complete, 0, "asks nothing", 1});
  take.finish();
  CHECK(scopes_of(CassetteReader(cassette.path())) == std::vector<std::string>{"asks nothing 1:1 0"});
}

TEST_CASE("format: lists the takes of a scope, newest first") {
  const TestCassette cassette;
  for (const char* scope : {"a", "b", "a"}) record_take(cassette.path(), {record(key, data(1)).in_scope(scope)});
  const CassetteReader reader(cassette.path());
  const auto takes = reader.scope("a");
  REQUIRE(takes.size() == 2);
  CHECK(takes[0].take == 3);
  CHECK(takes[1].take == 1);
  CHECK(reader.scope("c").empty());
  CHECK(reader.sequences(key, "a").at(0).take == 3);
}

TEST_CASE("format: marks are stored in the order of their times without learned values") {
  const TestCassette cassette;
  PiecewiseTake take(cassette.path());
  take.add({login("tester", sid)});
  take.tell({TakeEvent::Kind::mark, fixture_start_us + 5, "second", 1});
  take.tell({TakeEvent::Kind::mark, fixture_start_us + 1, "first " + std::string(sid), 1});
  CHECK(CassetteReader(cassette.path()).marks().size() == 2);
  take.finish();
  PiecewiseTake(cassette.path()).finish();
  const auto marks = CassetteReader(cassette.path()).marks();
  REQUIRE(marks.size() == 2);
  CHECK(marks[0].name == "first <SESSION_ID>");
  CHECK(marks[1].name == "second");
  CHECK(marks[1].at_us == fixture_start_us + 5);
  CHECK(marks[1].take == 1);
}

TEST_CASE("format: an interaction keeps its ID when its cassette is finished again, and equal ones differ") {
  const TestCassette cassette;
  const std::vector<Recorded> rows = {record(key, data(1), sid), record(key, data(1), sid), record(key, data(1), sid),
                                      record(key, data(1), sid).in_scope("a"), record(key, data(2), sid)};
  record_take(cassette.path(), rows);
  const std::vector<std::string> first = ids_of(CassetteReader(cassette.path()));
  CHECK(std::set(first.begin(), first.end()).size() == rows.size());
  // A value that is learned only now changes the content and not the IDs.
  scrubbers::Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login("data", "success-is-a-value-9").interaction));
  cassettes::FinishOptions options;
  options.scrubber = &scrubber;
  REQUIRE(cassettes::finish(cassette.path(), options).finished);
  CHECK(ids_of(CassetteReader(cassette.path())) == first);
  record_take(cassette.path(), rows);
  const std::vector<std::string> both = ids_of(CassetteReader(cassette.path()));
  CHECK(std::set(both.begin(), both.end()).size() == 2 * rows.size());
  for (const std::string& id : first) CHECK(std::count(both.begin(), both.end(), id) == 1);
}

TEST_CASE("format: the ID does not depend on reads of the unfinished recording") {
  const TestCassette cassette;
  PiecewiseTake take(cassette.path());
  take.add({record(key, data(1), sid)});
  const auto before = ids_of(CassetteReader(cassette.path()));
  take.add({record(key, data(2), sid), record(key, data(1), sid)});
  take.finish();
  const auto after = ids_of(CassetteReader(cassette.path()));
  REQUIRE(after.size() == 3);
  CHECK(std::count(after.begin(), after.end(), before.at(0)) == 1);
}

TEST_CASE("format: lanes, sessions, and accounts are stored") {
  const TestCassette cassette;
  record_take(cassette.path(),
              {login("ann", "first-session-0001"), login("bob", "second-session-002"),
               record(key, data(1), "first-session-0001"), record(key, data(2), "second-session-002")});
  const auto lanes_of = [&] {
    std::vector<std::string> lines;
    CassetteReader(cassette.path()).list([&](const auto& line) {
      lines.push_back(line.id + " " + std::to_string(line.session) + " " + std::to_string(line.lane));
      return true;
    });
    return lines;
  };
  // An edit of the times might do this: the second session would then follow the first.
  const auto before = lanes_of();
  edit_cassette(cassette.path(), "UPDATE interaction SET started_us = ord * 1000000");
  REQUIRE(cassettes::finish(cassette.path(), {}).finished);
  CHECK(lanes_of() == before);
  SQLite::Database database(cassette.path());
  CHECK(database.execAndGet("SELECT group_concat(account || '/' || lane) FROM session").getString() == "1/1,2/2");
}

TEST_CASE("format: stores the time of the first byte, stream events, and the end by the client") {
  Recorded stream = record(key, "event: a\n\nevent: b\n\n").at(fixture_start_us, fixture_start_us + 900);
  stream.interaction.first_byte_us = fixture_start_us + 70;
  stream.interaction.ended_by_client = true;
  stream.interaction.events = {{fixture_start_us + 80, 10}, {fixture_start_us + 500, 20}};
  const auto cassette = cassette_with({std::move(stream), record("SVC.Core.Share/1/list", ok)});
  REQUIRE(cassettes::finish(cassette.path(), {}).finished);
  const CassetteReader reader(cassette.path());
  std::map<std::string, cassettes::FullInteraction> found;
  reader.each([&](const auto& full) {
    found[full.line.key] = full;
    return true;
  });
  const auto& kept = found.at(std::string(key));
  CHECK(kept.line.first_byte_us == fixture_start_us + 70);
  CHECK(kept.line.ended_by_client);
  CHECK(kept.record.events == std::vector<api::StreamEvent>{{fixture_start_us + 80, 10}, {fixture_start_us + 500, 20}});
  CHECK(reader.sequences(key).at(0).count == 1);
  const auto& plain = found.at("SVC.Core.Share/1/list");
  CHECK(plain.line.first_byte_us == 0);
  CHECK_FALSE(plain.line.ended_by_client);
  CHECK(plain.record.events.empty());
}

TEST_CASE("format: stream events are ordered and limited in number") {
  Recorded stream = record(key, std::string(40'000, 'x')).at(fixture_start_us, fixture_start_us + 100'000);
  for (std::uint64_t i = 1; i <= 30'000; ++i) {
    stream.interaction.events.push_back({fixture_start_us + static_cast<std::int64_t>(i), i});
    if (i % 1000 == 0) stream.interaction.events.push_back({fixture_start_us, i});
  }
  const auto cassette = cassette_with({std::move(stream)});
  CassetteReader(cassette.path()).each([&](const auto& full) {
    REQUIRE(full.record.events.size() == api::most_stream_events);
    CHECK(full.record.events.back() == api::StreamEvent{fixture_start_us + 10'000, 10'000});
    return true;
  });
}

TEST_CASE("format: asides are found only in their scope") {
  const std::string compound = R"([{"api":"SVC.Core.Network","method":"get","version":1}])";
  const auto call = [&](int n) {
    return record(
        "SVC.Entry.Request/1/request?mode=sequential&compound=" + compound,
        R"({"data":{"has_fail":false,"result":[{"data":)" + std::to_string(n) + R"(,"success":true}]},"success":true})",
        sid);
  };
  const auto cassette = cassette_with({call(1), call(2).in_scope("s")});
  const CassetteReader reader(cassette.path());
  const std::string part = "Core.Network/1/get";
  REQUIRE(reader.parts(part).size() == 1);
  REQUIRE(reader.parts(part, "s").size() == 1);
  CHECK(reader.parts(part, "t").empty());
  CHECK(reader.answer(reader.parts(part).at(0), 0).body == data(1));
  CHECK(reader.answer(reader.parts(part, "s").at(0), 0).body == data(2));
}

TEST_CASE("format: refuses another version with both numbers, and other tables") {
  struct Case {
    const char* sql;
    cassettes::CassetteError::Kind kind;
  };
  using Kind = cassettes::CassetteError::Kind;
  const std::vector<Case> cases = {
      {"PRAGMA user_version=4", Kind::too_new},
      {"PRAGMA user_version=2", Kind::too_new},
      {"DROP TABLE event", Kind::damaged},
      {"DROP VIEW recordings", Kind::damaged},
      {"DROP VIEW recordings; CREATE VIEW recordings AS SELECT 1", Kind::damaged},
      {"DROP INDEX scope_by_name", Kind::damaged},
      {"ALTER TABLE mark ADD COLUMN more TEXT", Kind::damaged},
      {"UPDATE take SET name = x'00'", Kind::damaged},
  };
  for (const Case& row : cases) {
    INFO(row.sql);
    const auto cassette = cassette_with({record(key, data(1))});
    edit_cassette(cassette.path(), row.sql);
    try {
      const CassetteReader reader(cassette.path());
      FAIL("it was read");
    } catch (const cassettes::CassetteError& error) {
      CHECK(error.kind() == row.kind);
      if (row.kind == Kind::too_new)
        CHECK_THAT(error.what(), Catch::Contains("has format ") && Catch::Contains("reads format 3"));
    }
  }
}
