// Tests cassettes that are made of parts of others: kept interactions keep their IDs, lanes, and positions.

#include "cassettes/finish/rewrite.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include <set>

#include "cassettes/read/content_hash.h"
#include "tests/cassettes/folder_state.h"
#include "tests/support/cassette_fixture.h"
#include "tools/content/rewrite.h"

namespace tapedeck::tools {

namespace {

using namespace testing;
using cassettes::CassetteReader;
using cassettes::ListedInteraction;
using cassettes::RewriteOptions;
using cassettes::Rewriting;

const std::string ann = "Zq7Lw2RtXv9Kd3Ms", bob = "Hn5Tc8YbWf1Jg6Pe";

/// Records two takes, scopes with and without calls, two overlapping sessions, a compound, and refusals.
std::string make_cassette(const TestFolder& folder) {
  const std::string path = folder.file("whole.cassette");
  std::vector<Recorded> rows;
  rows.push_back(login("ann", ann));
  rows.push_back(login("bob", bob));
  for (int i = 0; i < 6; ++i) {
    rows.push_back(record("SVC.Core.Share/1/list", R"({"data":{"n":)" + std::to_string(i) + R"(},"success":true})",
                          i % 2 == 0 ? ann : bob));
  }
  rows.push_back(record("SVC.Core.Share/1/create?name=x", error(105), ann));
  rows.push_back(record("SVC.Core.Share/1/create?name=x", std::string(ok), ann));
  rows.push_back(record("SVC.Core.Network/1/get", R"({"data":{"sid":")" + bob + R"("},"success":true})", bob));
  rows.push_back(record("SVC.Core.Share/1/list", error(119), bob).in_scope("login fails"));
  record_take(path, std::move(rows));
  cassettes::Take second = fixture_take();
  second.started_us += 3'600'000'000;
  second.note = "the second";
  record_take(path,
              {record("SVC.Core.Share/1/list", R"({"data":{"n":99},"success":true})"),
               record("SVC.Core.Volume/1/list", std::string(ok)).in_scope("volumes")},
              second);
  return path;
}

std::map<std::string, ListedInteraction> lines_by_id(const std::string& path) {
  std::map<std::string, ListedInteraction> lines;
  CassetteReader(path).list([&](const ListedInteraction& line) {
    lines[line.id] = line;
    return true;
  });
  return lines;
}

std::string rewritten_hash(const std::string& path) { return cassettes::content_hash(CassetteReader(path)); }

using Keeps = std::function<bool(const ListedInteraction&)>;

cassettes::FinishReport keep(const std::string& path, const Keeps& keeps) {
  Rewriting rewriting(path);
  KeptMaterial part(rewriting.content(), rewriting.reader(), keeps);
  return rewriting.write(part, {});
}

}  // namespace

TEST_CASE("rewrite: keeping everything gives the same file") {
  const TestFolder folder;
  const std::string path = make_cassette(folder), before = bytes_of(path);
  const auto report = keep(path, [](const ListedInteraction&) { return true; });
  CHECK(report.finished);
  CHECK(report.interactions == 14);
  CHECK(bytes_of(path) == before);
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("rewrite: kept interactions keep ID, order, session, lane, and times") {
  const TestFolder folder;
  const std::string path = make_cassette(folder);
  const auto before = lines_by_id(path);
  // Removes each call in turn, then the rest of one session, then a take.
  const std::vector<Keeps> cuts = {[](const ListedInteraction& line) { return line.ord % 3 != 1; },
                                   [](const ListedInteraction& line) { return line.session != 1; },
                                   [](const ListedInteraction& line) { return line.take != 1; }};
  for (const Keeps& keeps : cuts) {
    std::set<std::string> expected;
    for (const auto& [id, line] : lines_by_id(path)) {
      if (keeps(line)) expected.insert(id);
    }
    REQUIRE(keep(path, keeps).finished);
    const auto after = lines_by_id(path);
    CHECK(after.size() == expected.size());
    for (const auto& [id, line] : after) {
      CHECK(expected.contains(id));
      const ListedInteraction& old = before.at(id);
      CHECK(std::tuple(line.ord, line.session, line.lane, line.key, line.scope) ==
            std::tuple(old.ord, old.session, old.lane, old.key, old.scope));
      CHECK(std::tuple(line.started_us, line.ended_us, line.body_bytes, line.redactions) ==
            std::tuple(old.started_us, old.ended_us, old.body_bytes, old.redactions));
    }
  }
  const CassetteReader last(path);
  REQUIRE(last.info().takes.size() == 1);
  CHECK(last.info().takes[0].number == 1);
  CHECK(last.info().takes[0].note == "the second");
  CHECK(last.scope("login fails").empty());
  CHECK(last.scope("volumes").size() == 1);
}

TEST_CASE("rewrite: changing a response and changing it back keeps the hash, and the ID stays the same") {
  const TestFolder folder;
  const std::string path = make_cassette(folder), before = rewritten_hash(path);
  const auto all = lines_by_id(path);
  const auto chosen = std::find_if(all.begin(), all.end(),
                                   [](const auto& one) { return one.second.key.find("Network") != std::string::npos; });
  const std::string old_body = CassetteReader(path).get(chosen->first)->record.response.body;
  const auto old_rows = CassetteReader(path).get(chosen->first)->record.redactions;
  const auto set = [&](const std::string& body, const std::vector<scrubbers::Redaction>& rows) {
    scrubbers::Scrubber scrubber({});
    RewriteOptions options;
    options.scrubber = &scrubber;
    Rewriting rewriting(path);
    Edited edited(rewriting.content(), {{id_number(chosen->first), [&](scrubbers::InteractionRecord& record) {
                                           record.response.body = body;
                                           record.redactions = rows;
                                         }}});
    return rewriting.write(edited, options);
  };
  auto request_rows = old_rows;
  std::erase_if(request_rows, [](const auto& row) { return row.part == scrubbers::Part::response_body; });
  REQUIRE(request_rows.size() < old_rows.size());
  const std::string secret = "Corr3ct-Horse/Battery=9";
  const auto changed = set(R"({"data":{"password":")" + secret + R"("},"success":true})", request_rows);
  REQUIRE(changed.finished);
  CHECK(changed.scrubbed_late == 1);
  CHECK(rewritten_hash(path) != before);
  const auto now = CassetteReader(path).get(chosen->first);
  REQUIRE(now);
  CHECK(now->record.response.body.find(secret) == std::string::npos);
  CHECK(bytes_of(path).find(secret) == std::string::npos);
  REQUIRE(set(old_body, old_rows).finished);
  CHECK(rewritten_hash(path) == before);
}

TEST_CASE("rewrite: a secret in an edit is removed everywhere") {
  const TestFolder folder;
  const std::string path = folder.file("taught.cassette"), secret = "b9Tk4Qw7Zx2Lm5Vc";
  record_take(path, {record("SVC.Core.Note/1/get", R"({"data":{"text":"say )" + secret + R"( to it"},"success":true})"),
                     record("SVC.Core.Share/1/get", std::string(ok))});
  const auto all = lines_by_id(path);
  const auto chosen = std::find_if(all.begin(), all.end(),
                                   [](const auto& one) { return one.second.key.find("Share") != std::string::npos; });
  scrubbers::Scrubber scrubber({});
  RewriteOptions options;
  options.scrubber = &scrubber;
  Rewriting rewriting(path);
  Edited edited(rewriting.content(), {{id_number(chosen->first), [&](scrubbers::InteractionRecord& record) {
                                         record.response.body =
                                             R"({"data":{"password":")" + secret + R"("},"success":true})";
                                       }}});
  REQUIRE(rewriting.write(edited, options).finished);
  CassetteReader(path).each([&](const cassettes::FullInteraction& full) {
    CHECK(full.record.response.body.find(secret) == std::string::npos);
    return true;
  });
}

TEST_CASE("rewrite: stopping at any moment leaves the old file and no other") {
  const TestFolder folder;
  const std::string path = make_cassette(folder), before = bytes_of(path);
  const auto names = [&] {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) found.insert(entry.path().filename());
    return found;
  };
  bool finished = false;
  for (int stop_at = 0; !finished; ++stop_at) {
    REQUIRE(stop_at < 1000);
    RewriteOptions options;
    options.progress = [left = stop_at](const char*, std::uint64_t, std::uint64_t) mutable { return left-- > 0; };
    Rewriting rewriting(path);
    KeptMaterial part(rewriting.content(), rewriting.reader(),
                      [](const ListedInteraction& line) { return line.take == 1; });
    const auto report = rewriting.write(part, options);
    finished = report.finished;
    if (finished) break;
    CHECK(report.failure.find("nothing was changed") != std::string::npos);
    CHECK(bytes_of(path) == before);
    CHECK(names() == std::set<std::string>{"whole.cassette"});
  }
  CHECK(names() == std::set<std::string>{"whole.cassette"});
  CHECK(lines_by_id(path).size() == 12);
}

TEST_CASE("rewrite: locks out recorders and other rewriters, and refuses unfinished ones") {
  const TestFolder folder;
  const std::string path = make_cassette(folder);
  {
    Rewriting rewriting(path);
    CHECK_THROWS_WITH(Rewriting(path), Catch::Contains("is already being recorded"));
    CHECK_THROWS(cassettes::CassetteWriter(path, fixture_take()));
  }
  scrubbers::Scrubber scrubber({});
  {
    cassettes::CassetteWriter writer(path, fixture_take());
    CHECK_THROWS_AS(Rewriting(path), cassettes::CassetteError);
    writer.append(scrubber.scrub(record("SVC.Core.Share/1/list", std::string(ok)).interaction), nullptr);
    writer.flush();
  }
  // The recording of a killed recorder is finished first.
  CHECK(Rewriting(path).leftover().has_value());
  CHECK(lines_by_id(path).size() == 15);
  CHECK_THROWS(Rewriting(folder.file("none.cassette")));
}

TEST_CASE("rewrite: a new cassette is only written to an unused name") {
  const TestFolder folder;
  const std::string path = make_cassette(folder), out = folder.file("out.cassette");
  const auto content = cassettes::open_material(path);
  REQUIRE(cassettes::write_new(out, *content, {}).finished);
  CHECK(bytes_of(out) == bytes_of(path));
  CHECK_THROWS_WITH(cassettes::write_new(out, *content, {}), Catch::Contains("already exists"));
  CHECK(bytes_of(out) == bytes_of(path));
}

}  // namespace tapedeck::tools
