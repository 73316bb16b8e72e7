// Tests that long work shows progress on a terminal, and never in a pipe.

#include <catch2/catch.hpp>

#include <filesystem>

#include "tests/e2e/harness.h"
#include "tests/support/needs.h"

namespace tapedeck::tests::progress_cases {

namespace {

const Step network_step = call("network", "api={label}.Core.Network&version=1&method=get");

std::string quoted(const std::string& word) { return "'" + word + "'"; }

/// Runs the command on a separate terminal, whose output is `out`.
Ran on_terminal(const std::vector<std::string>& arguments) {
  std::string line = quoted(binary());
  for (const std::string& argument : arguments) line += " " + quoted(argument);
  return run({"script", "-qefc", line, "/dev/null"}, milliseconds(60000));
}

}  // namespace

TEST_CASE("progress: import, merge, diff, prune, scan, scrub, and export show a bar only on a terminal") {
  if (is_missing("script", has_program("script"))) return;
  const TempDir folder;
  const Device device;
  const auto file = [&](const char* name) { return folder / name; };
  const auto record_into = [&](const std::string& cassette, std::vector<Step> steps) {
    record(folder.path(), device, cassette, [&steps](const std::string& url) { (void)play(url, steps); });
  };
  const Step info = {"info", {"{base}/webapi/query.cgi?api={label}.API.Info&version=1&method=query&query=all"}};
  record_into(file("a"), {info, login_step(), network_step});
  record_into(file("b"), {login_step(), network_step, network_step});
  record_into(file("b"), {login_step(), network_step});
  REQUIRE(run_tapedeck({"export", "--as", "jsonl", file("a"), "-o", file("text")}).status == 0);
  REQUIRE(run_tapedeck({"export", "--as", "har", file("a"), "-o", file("har")}).status == 0);
  int made = 0;
  const auto out = [&] { return file("out") + std::to_string(++made); };
  struct Row {
    std::vector<std::string> arguments;
    const char* step;
  };
  for (const Row& row : std::vector<Row>{{{"diff", file("a"), file("b")}, "comparing"},
                                         {{"export", "--as", "jsonl", file("a"), "-o", file("lines")}, "exporting"},
                                         {{"import", file("text"), "-o", "OUT"}, "reading"},
                                         {{"import", file("har"), "-o", "OUT"}, "scrubbing"},
                                         {{"merge", file("a"), file("b"), "-o", "OUT"}, "writing"},
                                         {{"scan", file("a")}, "scanning"},
                                         {{"rm", "COPY", "--take", "1"}, "writing"},
                                         {{"scrub", file("b")}, "writing"}}) {
    std::vector<std::string> arguments = row.arguments;
    const auto fill = [&] {
      arguments = row.arguments;
      for (std::string& argument : arguments) {
        if (argument == "OUT") argument = out();
        if (argument != "COPY") continue;
        argument = out();
        std::filesystem::copy_file(file("b"), argument);
      }
    };
    fill();
    INFO(arguments[0] << " " << arguments[1]);
    const Ran shown = on_terminal(arguments);
    INFO(shown.out << shown.err);
    CHECK(shown.out.find("\r\x1b[K" + std::string(row.step)) != std::string::npos);
    CHECK(shown.out.find(" [") != std::string::npos);
    fill();
    const Ran piped = run_tapedeck(arguments);
    CHECK(piped.status == shown.status);
    CHECK(piped.err.find('\r') == std::string::npos);
    CHECK(piped.out.find('\r') == std::string::npos);
  }
}

}  // namespace tapedeck::tests::progress_cases
