// Tests the search for the smallest recording that still shows a bug, with a client in this process.

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "cassettes/finish/rewrite.h"
#include "cli/running/capsule_run.h"
#include "journal/journal.h"
#include "tests/replay/asking.h"
#include "tests/support/cassette_fixture.h"
#include "tools/capsule/body_elements.h"
#include "tools/capsule/reduction.h"
#include "tools/content/edit.h"
#include "tools/content/marks.h"
#include "tools/content/rewrite.h"

namespace tapedeck::cli {
namespace {

using nlohmann::json;
using testing::cassette_with;
using testing::record;
using testing::Recorded;
using testing::TestCassette;

std::string share_call(int number) { return "SVC.Core.Share/1/get?name=share" + std::to_string(number); }

/// Returns a list of shares, details of each, and other calls up to the number of interactions. Every second one of
/// these is a poll.
std::vector<Recorded> traffic(int interactions, int shares, int bad_share) {
  std::mt19937 random(1);
  std::vector<Recorded> rows = {testing::login("ann", "sid-Fixture_1-0123456789abcdef")};
  const auto add = [&](const std::string& call, const json& data) {
    rows.push_back(record(call, json{{"data", data}, {"success", true}}.dump(), "sid-Fixture_1-0123456789abcdef"));
  };
  json list = json::array();
  for (int share = 0; share < shares; ++share) {
    list.push_back(
        {{"name", "share" + std::to_string(share)}, {"extra", {{"a", share}, {"b", json::array({1, 2, 3})}}}});
  }
  add("SVC.Core.Share/1/list", {{"shares", list}, {"total", shares}, {"note", std::string(200, 'x')}});
  for (int share = 0; share < shares; ++share) {
    json data = {{"quota", 100 * share}, {"used", share}, {"acl", json::array({"r", "w"})}};
    if (share == bad_share) data["quota"] = "unlimited";
    add(share_call(share), data);
  }
  while (static_cast<int>(rows.size()) < interactions) {
    const auto number = static_cast<int>(random() % 50);
    add("SVC.Other.Call" + std::to_string(number) + "/1/get",
        {{"value", random() % 1000}, {"list", json::array({1, 2})}});
  }
  return rows;
}

/// Returns the result of a client run as cli::TrialResult: its failure, if any, and the server's report.
TrialResult run_client(const std::string& cassette) {
  journal::Journal journal;
  replay::ReplayOptions options;
  options.cassettes = {cassette};
  options.journal = &journal;
  replay::ReplayHandler handler(options, 1);
  TrialResult result;
  result.has_run = true;
  const auto ask = [&](const std::string& call) {
    return json::parse(replay::call(handler, call).body, nullptr, false);
  };
  const json list = ask("SVC.Core.Share/1/list");
  if (!list.value("success", false) || !list.contains("data") || !list["data"].contains("shares")) {
    result.status = 2;
  } else {
    for (const json& share : list["data"]["shares"]) {
      if (!share.contains("name")) continue;
      const json details = ask("SVC.Core.Share/1/get?name=" + share["name"].get<std::string>());
      if (!details.contains("data") || !details["data"].contains("quota")) continue;
      if (details["data"]["quota"].is_string()) {
        result.status = 1;  // the bug
        result.says = true;
        break;
      }
    }
  }
  for (const journal::JournalLine& line : journal.entries(1, 100'000)) {
    result.requests.emplace(line->key, line->outcome);
    if (!line->recording.empty()) result.recordings.insert(line->recording);
  }
  return result;
}

struct World {
  explicit World(const TestCassette& cassette) : first(run_client(cassette.path())), failure(first) {
    std::filesystem::copy_file(cassette.path(), folder.file("copy.cassette"));
    options.folder = folder.path();
    options.scrubber = [](const cassettes::CassetteInfo&) {
      return std::make_unique<scrubbers::Scrubber>(scrubbers::ScrubberOptions{});
    };
    options.shows = [this](const std::string& path) {
      ++runs;
      return failure.is_alike(run_client(path));
    };
  }
  std::optional<tools::Reduced> reduce() {
    return tools::reduce(folder.file("copy.cassette"), first.recordings, options);
  }

  testing::TestFolder folder;
  TrialResult first;
  Failure failure;
  tools::ReductionOptions options;
  int runs = 0;
};

std::string marked_body(const scrubbers::InteractionRecord& record) {
  return tools::with_marks(record.response.body, tools::rows_of(record.redactions, scrubbers::Part::response_body));
}

/// Writes the cassette without one interaction, or without one place of its body.
std::string without_one(const std::string& path, const std::string& id, const tools::BodyPlace* place,
                        const std::string& out) {
  std::filesystem::remove(out);
  const cassettes::CassetteReader reader(path);
  const auto content = cassettes::open_material(path);
  const auto keeps = [&](const cassettes::ListedInteraction& line) { return place != nullptr || line.id != id; };
  tools::KeptMaterial kept(*content, reader, keeps);
  std::map<std::uint64_t, tools::Edited::Change> edits;
  if (place != nullptr) {
    edits.emplace(tools::id_number(id), [place](scrubbers::InteractionRecord& record) {
      CHECK_NOTHROW(tools::set_body(record, tools::without_places(marked_body(record), {*place})));
    });
  }
  tools::Edited edited(kept, std::move(edits));
  scrubbers::Scrubber scrubber({});
  cassettes::RewriteOptions writing;
  writing.scrubber = &scrubber;
  REQUIRE(cassettes::write_new(out, edited, writing).finished);
  return out;
}

}  // namespace

TEST_CASE("capsule: keeps exactly what the bug needs") {
  const TestCassette cassette = cassette_with(traffic(300, 30, 17));
  World world(cassette);
  REQUIRE(world.first.status == 1);
  const auto reduced = world.reduce();
  REQUIRE(reduced);
  CHECK(reduced->is_minimal);
  const cassettes::CassetteReader reader(reduced->path);
  std::map<std::string, std::string> bodies;
  std::size_t places = 0;
  reader.each([&](const cassettes::FullInteraction& full) {
    bodies[full.line.key] = full.record.response.body;
    CHECK_FALSE(world.failure.is_alike(
        run_client(without_one(reduced->path, full.line.id, nullptr, world.folder.file("less")))));
    const std::string body = marked_body(full.record);
    for (std::size_t depth = 1; depth <= tools::depth_of(body); ++depth) {
      for (const tools::BodyPlace& place : tools::removable_places(body, depth)) {
        ++places;
        CHECK_FALSE(world.failure.is_alike(
            run_client(without_one(reduced->path, full.line.id, &place, world.folder.file("less")))));
      }
    }
    return true;
  });
  CHECK(bodies == std::map<std::string, std::string>{
                      {"SVC.Core.Share/1/list", R"({"data":{"shares":[{"name":"share17"}]},"success":true})"},
                      {"SVC.Core.Share/1/get?name=share17", R"({"data":{"quota":"unlimited"},"success":true})"}});
  CHECK(places == 6);
  CHECK(reader.info().takes.front().started_us == 946'684'800'000'000);
  CHECK(world.runs < 120);
}

TEST_CASE("capsule: an interrupted search returns a smaller recording that is not reported as minimal") {
  const TestCassette cassette = cassette_with(traffic(100, 30, 17));
  World world(cassette);
  world.options.goes_on = [&] { return world.runs < 10; };
  const auto reduced = world.reduce();
  REQUIRE(reduced);
  CHECK_FALSE(reduced->is_minimal);
  CHECK(world.failure.is_alike(run_client(reduced->path)));
  CHECK(cassettes::CassetteReader(reduced->path).info().interactions < 100);
}

TEST_CASE("capsule: returns nothing if the failure no longer occurs") {
  const TestCassette cassette = cassette_with(traffic(50, 5, 3));
  World world(cassette);
  world.options.shows = [](const std::string&) { return false; };
  CHECK_FALSE(world.reduce());
}

TEST_CASE("capsule: does not mistake a different failure for the reported one") {
  TrialResult first;
  first.has_run = true;
  first.status = 1;
  first.says = true;
  first.tests = {{"t.a", false}, {"t.b", true}};
  first.requests = {{"call", "recorded"}, {"gone", "miss"}};
  const Failure failure(first);
  struct Case {
    const char* name;
    std::function<void(TrialResult&)> change;
    bool is_alike;
  };
  const std::vector<Case> cases = {
      {"the same", [](TrialResult&) {}, true},
      {"another status", [](TrialResult& run) { run.status = 2; }, false},
      {"without the text", [](TrialResult& run) { run.says = false; }, false},
      {"too late", [](TrialResult& run) { run.is_late = true; }, false},
      {"stopped", [](TrialResult& run) { run.is_stopped = true; }, false},
      {"the test passes", [](TrialResult& run) { run.tests["t.b"] = false; }, false},
      {"another test fails as well", [](TrialResult& run) { run.tests["t.a"] = true; }, true},
      {"a request misses",
       [](TrialResult& run) {
         run.requests = {{"call", "miss"}};
       },
       false},
      {"the miss that was there",
       [](TrialResult& run) {
         run.requests = {{"gone", "miss"}};
       },
       true},
      {"a built-in response",
       [](TrialResult& run) {
         run.requests = {{"call", "builtin"}};
       },
       false},
      {"a new recorded request", [](TrialResult& run) { run.requests.emplace("new", "recorded"); }, true},
      {"a new miss", [](TrialResult& run) { run.requests.emplace("new", "miss"); }, false}};
  for (const Case& one : cases) {
    CAPTURE(one.name);
    TrialResult run = first;
    one.change(run);
    CHECK(failure.is_alike(run) == one.is_alike);
  }
}

/// Figures for docs/performance.md: TAPEDECK_TABLE=1 cli_tests "[capsule-sizes]".
TEST_CASE("capsule: sizes of recordings with 300, 3,000, and 30,000 interactions", "[.capsule-sizes]") {
  struct Size {
    int interactions, shares, bad_share;
  };
  for (const auto& [interactions, shares, bad_share] :
       {Size{300, 30, 17}, Size{3'000, 300, 176}, Size{30'000, 30, 17}}) {
    const TestCassette cassette = cassette_with(traffic(interactions, shares, bad_share));
    World world(cassette);
    const auto begin = std::chrono::steady_clock::now();
    const auto reduced = world.reduce();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    REQUIRE(reduced);
    const cassettes::CassetteReader reader(reduced->path);
    std::cout << "| " << interactions << " | " << std::filesystem::file_size(cassette.path()) << " | "
              << reader.info().interactions << " | " << std::filesystem::file_size(reduced->path) << " | " << world.runs
              << " | " << took.count() << " |" << std::endl;
  }
}

}  // namespace tapedeck::cli
