// Runs of a command, each with its own replay server.

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "cli/console/usage_error.h"
#include "cli/running/command_guard.h"
#include "cli/running/trial.h"
#include "tests/support/cassette_fixture.h"

namespace tapedeck::cli {
namespace {

using std::chrono::milliseconds;

TrialOptions shell(const std::string& script) {
  TrialOptions options;
  options.command = {"sh", "-c", script};
  return options;
}

}  // namespace

TEST_CASE("trial: reports the command's exit status and output") {
  TrialOptions options = shell("echo before; echo the error >&2; exit 7");
  options.says = "the error";
  TrialRunner runner(options);
  const TrialResult result = runner.run(Trial{});
  CHECK(result.has_run);
  CHECK(result.status == 7);
  CHECK(result.says);
  CHECK(result.output == "before\nthe error\n");
  CHECK_FALSE(result.passes());
  CHECK(runner.runs() == 1);
  CHECK(TrialRunner(shell("exit 0")).run(Trial{}).passes());
  CHECK(TrialRunner(shell("kill -TERM $$")).run(Trial{}).status == 128 + 15);
  TrialOptions missing;
  missing.command = {"no-such-program-here"};
  CHECK_FALSE(TrialRunner(missing).run(Trial{}).has_run);
}

TEST_CASE("trial: reads output of any length and keeps its end") {
  TrialOptions options = shell("head -c 20000000 /dev/zero | tr '\\0' x; printf 'need'; sleep 0.05; printf 'le'");
  options.says = "needle";
  const TrialResult result = TrialRunner(options).run(Trial{});
  CHECK(result.says);
  CHECK(result.output.size() == 4'096);
  CHECK(result.output.ends_with("xxneedle"));
}

TEST_CASE("trial: ends a run that takes too long") {
  const testing::TestFolder folder;
  TrialOptions options = shell("test -e " + folder.file("ran") + " && exec sleep 300; touch " + folder.file("ran"));
  options.spare = milliseconds(100);
  TrialRunner runner(options);
  CHECK(runner.run(Trial{}).passes());
  const auto begin = std::chrono::steady_clock::now();
  const TrialResult late = runner.run(Trial{});
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
  CHECK(late.is_late);
  CHECK_FALSE(late.passes());
}

TEST_CASE("trial: ends the current run at the time limit for all runs") {
  TrialOptions options = shell("exec sleep 300");
  options.time = milliseconds(200);
  TrialRunner runner(options);
  CHECK(runner.run(Trial{}).is_stopped);
  CHECK_FALSE(runner.goes_on());
  CHECK(runner.is_time_over());
  runner.lift_time();
  CHECK(runner.goes_on());
}

TEST_CASE("trial: reports requests, outcomes, and replayed recordings") {
  const auto cassette = testing::cassette_with({testing::record("SVC.Core.A/1/get", testing::ok)});
  const std::string ask = "curl -sS \"$TAPEDECK_URL/webapi/entry.cgi?version=1&method=get&api=SVC.Core.";
  const TrialResult result = TrialRunner(shell(ask + "A\"; " + ask + "B\"")).run(Trial{{cassette.path()}, {}});
  CHECK(result.requests ==
        std::set<std::pair<std::string, std::string>>{{"SVC.Core.A/1/get", "recorded"}, {"SVC.Core.B/1/get", "miss"}});
  CHECK(result.recordings.size() == 1);
  CHECK(result.misses.size() == 1);
  const std::string overlay = cassette.folder().file("o.toml");
  std::ofstream(overlay) << "[[overlay]]\ncall = \"Core.A/1/get\"\nerror = 105\n";
  const TrialResult changed = TrialRunner(shell(ask + "A\"")).run(Trial{{cassette.path()}, {overlay}});
  CHECK(changed.output.find("105") != std::string::npos);
}

TEST_CASE("trial: ignores the test results of an earlier run") {
  const testing::TestFolder folder;
  const std::string file = folder.file("r.xml");
  std::ofstream(file) << "<testcase name=\"of an earlier run\"><failure/></testcase>";
  TrialOptions options = shell("true");
  options.junit = file;
  CHECK_FALSE(TrialRunner(options).run(Trial{}).has_tests);
  options =
      shell("echo \"<testcase name='t$TAPEDECK_RUN'><failure/></testcase>\" > " + folder.file("$TAPEDECK_RUN.xml"));
  options.junit = folder.file("{run}.xml");
  TrialRunner runner(options);
  const std::vector<Trial> three(3);
  const std::vector<TrialResult> results = runner.run(three);
  REQUIRE(results.size() == 3);
  CHECK(results[0].tests == TestResults{{"t1", true}});
  CHECK(results[2].tests == TestResults{{"t3", true}});
  CHECK_FALSE(results[0].passes());
  CHECK_FALSE(std::filesystem::exists(folder.file("1.xml")));
}

TEST_CASE("trial: throws errors of cassettes and overlays") {
  CHECK_THROWS_AS(TrialRunner(shell("true")).run(Trial{{"no-such.cassette"}, {}}), UsageError);
  CHECK_THROWS_AS(TrialRunner(shell("true")).run(Trial{{}, {"no-such.toml"}}), UsageError);
}

}  // namespace tapedeck::cli
