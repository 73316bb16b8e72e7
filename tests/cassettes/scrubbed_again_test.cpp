// Tests the report of finish() about interactions that it had to scrub again.

#include <catch2/catch.hpp>

#include "cassettes/read/cassette_reader.h"
#include "tests/cassettes/folder_state.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::Added;
using cassettes::CassetteReader;
using cassettes::FinishOptions;
using cassettes::FinishReport;
using cassettes::ScrubbedAgain;
using scrubbers::Part;
using scrubbers::Redaction;

namespace {

constexpr std::string_view early = "Kq3xV9-fixture_session-Lm2pQ7";

FinishReport recorded(const std::string& path, const std::vector<Recorded>& rows) {
  scrubbers::Scrubber scrubber({});
  FinishOptions options;
  options.scrubber = &scrubber;
  return cassettes::finish(writer_with(path, timed(rows), scrubber), options);
}

Recorded speaking_of(std::string_view value, int number) {
  return record("SVC.Core.Log/1/list?offset=" + std::to_string(number) + "&note=" + std::string(value),
                R"({"data":[")" + std::string(value) + R"(","x","/)" + std::string(value) + R"("],"success":true})");
}

Redaction row(Part part, const std::string& rule) {
  Redaction redaction;
  redaction.part = part;
  redaction.rule = rule;
  return redaction;
}

}  // namespace

TEST_CASE("scrubbed again: counts only new redactions by part and rule") {
  const Redaction a = row(Part::request_target, "a"), b = row(Part::response_body, "b");
  const Redaction c = row(Part::response_body, "c");
  CHECK(cassettes::added_redactions({}, {}).empty());
  CHECK(cassettes::added_redactions({a, b}, {a, b}).empty());
  CHECK(cassettes::added_redactions({b, c}, {b}).empty());
  CHECK(cassettes::added_redactions({b}, {a, b, b, b, c}) == std::vector<Added>{{Part::request_target, "a", 1},
                                                                                {Part::response_body, "b", 2},
                                                                                {Part::response_body, "c", 1}});
}

TEST_CASE("scrubbed again: each interaction is listed with its new ID and key, parts and rules, and no value") {
  const TestFolder folder;
  const std::string path = folder.file("late.cassette");
  const FinishReport report =
      recorded(path, {speaking_of(early, 1), record("SVC.Core.Network/1/get", ok), login("tester", early)});
  INFO(report.failure);
  REQUIRE(report.finished);
  CHECK(report.scrubbed_late == 1);
  REQUIRE(report.scrubbed_again.size() == 1);
  const ScrubbedAgain& change = report.scrubbed_again[0];
  const auto full = CassetteReader(path).get(change.id);
  REQUIRE(full);
  CHECK(change.key == full->line.key);
  CHECK(change.key.find(early) == std::string::npos);
  CHECK(change.withheld.empty());
  REQUIRE(change.added.size() == 2);
  CHECK(change.added[0].part == Part::request_target);
  CHECK(change.added[0].count == 1);
  CHECK(change.added[1].part == Part::response_body);
  CHECK(change.added[1].count == 2);
  CHECK(change.added[1].rule == full->record.redactions.back().rule);

  scrubbers::Scrubber scrubber({});
  FinishOptions options;
  options.scrubber = &scrubber;
  CHECK(cassettes::finish(path, options).scrubbed_again.empty());
}

TEST_CASE("scrubbed again: lists at most a hundred interactions in the order of ls") {
  const TestFolder folder;
  const std::string path = folder.file("late.cassette");
  std::vector<Recorded> rows;
  for (int i = 0; i < 130; ++i) rows.push_back(speaking_of(early, i));
  rows.push_back(login("tester", early));
  const FinishReport report = recorded(path, rows);
  CHECK(report.scrubbed_late == 130);
  REQUIRE(report.scrubbed_again.size() == cassettes::most_scrubbed_again);
  std::vector<std::string> in_order;
  CassetteReader(path).list([&](const cassettes::ListedInteraction& line) {
    if (line.key.find("Core.Log") != std::string::npos) in_order.push_back(line.id);
    return true;
  });
  for (std::size_t i = 0; i < report.scrubbed_again.size(); ++i) CHECK(report.scrubbed_again[i].id == in_order[i]);
}
