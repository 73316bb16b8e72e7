// Tests script/demo with an existing build, and `tapedeck demo`.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/e2e/harness.h"
#include "tests/support/needs.h"
#include "tests/support/test_paths.h"

namespace tapedeck::tests::demo_cases {

TEST_CASE("demo: ends successfully and prints that every response is the same") {
  const TempDir folder;
  const Ran ran = run({std::string(source_folder) + "/script/demo"}, milliseconds(60000),
                      {{"TAPEDECK_BIN", binary()}, {"TMPDIR", folder.path().string()}});
  CAPTURE(ran.out, ran.err);
  CHECK(ran.status == 0);
  CHECK(ran.out.find("differs") == std::string::npos);
  CHECK(ran.out.find("SYNO.Core.Network/1/get") != std::string::npos);
  CHECK(std::filesystem::is_empty(folder.path()));
}

namespace {

/// Runs `tapedeck demo` with `folder` for files, interrupts it after it has listed the cassette, and returns its
/// output.
std::string demo_that_is_interrupted(const TempDir& folder, const std::string& option) {
  const TempDir said;
  Child demo({{binary(), "demo", option},
              {{"TMPDIR", folder.path().string()}, {"PATH", "/nowhere"}},
              "",
              said / "out",
              said / "err"});
  for (int i = 0; i < 1000 && demo.out().find("Press Ctrl-C") == std::string::npos; ++i) {
    if (demo.wait(milliseconds(20))) break;
  }
  demo.signal(SIGINT);
  CHECK(demo.wait() == 0);
  return demo.out() + demo.err();
}

}  // namespace

TEST_CASE("tapedeck demo: replays every response unchanged and leaves no file") {
  const TempDir folder;
  const Ran ran = run({binary(), "demo"}, milliseconds(60000), {{"TMPDIR", folder.path().string()}});
  CAPTURE(ran.out, ran.err);
  CHECK(ran.status == 0);
  CHECK(ran.out.find("Every response is the same") != std::string::npos);
  CHECK(ran.out.find("97 requests") != std::string::npos);
  CHECK(ran.out.find("SVC.API.Auth/7/login") != std::string::npos);
  CHECK(ran.out.find("an-invented-password") == std::string::npos);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("tapedeck demo: --keep leaves a complete cassette and nothing else, and replaces no file") {
  const TempDir folder, temporary;
  const auto demo = [&](const std::string& cassette) {
    return run({"sh", "-c", "cd \"$1\" && exec \"$2\" demo --keep \"$3\"", "sh", folder.path(), binary(), cassette},
               milliseconds(60000), {{"TMPDIR", temporary.path().string()}});
  };
  const Ran ran = demo("-nas.cassette");
  CAPTURE(ran.out, ran.err);
  REQUIRE(ran.status == 0);
  CHECK(ran.out.find("The recording is in -nas.cassette.") != std::string::npos);
  CHECK(std::filesystem::is_empty(temporary.path()));
  const std::filesystem::directory_iterator files(folder.path());
  CHECK(std::distance(begin(files), end(files)) == 1);
  const std::string cassette = folder / "-nas.cassette";
  CHECK(run({binary(), "scan", cassette}).status == 0);
  const std::string listed = run({binary(), "ls", "--json", cassette}).out;
  CHECK(nlohmann::json::parse(listed).size() == 97);

  const Ran refused = demo(cassette);
  CHECK(refused.status == 2);
  CHECK(refused.err.find("already exists") != std::string::npos);
  CHECK(run({binary(), "ls", "--json", cassette}).out == listed);
  CHECK(demo("missing/nas.cassette").status == 1);
  CHECK(std::filesystem::is_empty(temporary.path()));
}

TEST_CASE("tapedeck demo: with the page, runs until it is interrupted and leaves no file") {
  const TempDir folder;
  const std::string said = demo_that_is_interrupted(folder, "--page");
  CHECK(said.find("Press Ctrl-C") != std::string::npos);
  CHECK(said.find("#token=") == std::string::npos);  // standard error is not a terminal
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("tapedeck demo: works without /proc") {
  const std::vector<std::string> hidden = {
      "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh"};
  const auto run_hidden = [&](const std::vector<std::string>& command) {
    std::vector<std::string> line = hidden;
    line.insert(line.end(), command.begin(), command.end());
    return run(line, milliseconds(60000));
  };
  if (is_missing("mount", run_hidden({"test", "!", "-e", "/proc/self"}).status == 0)) return;
  const Ran ran = run_hidden({binary(), "demo"});
  CAPTURE(ran.out, ran.err);
  CHECK(ran.status == 0);
  CHECK(ran.out.find("Every response is the same") != std::string::npos);
}

TEST_CASE("tapedeck demo: works with a TMPDIR that is not writable") {
  CHECK(run({binary(), "demo"}, milliseconds(60000), {{"TMPDIR", "/nowhere"}}).status == 0);
}

}  // namespace tapedeck::tests::demo_cases
