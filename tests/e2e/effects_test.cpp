// Tests effects on the command line: --effects, `tapedeck overlay --effects`, --strict, and what recording refuses.

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::effects_cases {

namespace {

const std::string set_terminal =
    "/webapi/entry.cgi?api=SYNO.Core.Terminal&version=1&method=set&enable_ssh=true&_sid=any-id-1";

std::string state_file(const TempDir& folder) {
  const std::string file = folder / "state.toml";
  write_file(file,
             "[[effect]]\non = \"Core.Terminal/*/set\"\n[[effect.change]]\nin = \"Core.Terminal/*/get\"\nmerge = "
             "\"params\"\n");
  return file;
}

}  // namespace

TEST_CASE("effects: the command prints the built-in effects as a valid overlay file") {
  const TempDir folder;
  const Ran ran = run_tapedeck({"overlay", "--effects"});
  CHECK(ran.status == 0);
  CHECK(says(ran.out, "on = \"Core.Terminal/*/set\""));
  CHECK(says(ran.out, "in = \"Core.Terminal/*/get\""));
  CHECK_FALSE(says(ran.out, "reboot"));
  write_file(folder / "builtin.toml", ran.out);
  const Ran check = run_tapedeck({"overlay", folder / "builtin.toml"});
  CHECK(check.status == 0);
  CHECK(says(check.out, "effect of Core.Terminal/*/set"));
  CHECK(run_tapedeck({"overlay", "--effects", folder / "none.cassette"}).status == 2);
}

TEST_CASE("effects: --strict counts built-in effects, --strict=derived counts all, and each is a failed test case") {
  const TempDir folder;
  const std::string report = folder / "r.xml";
  const std::string script = "curl -sS -D - \"$TAPEDECK_URL" + set_terminal + "\"";
  struct Row {
    std::vector<std::string> options;
    int status;
    bool fails;
  };
  const std::vector<Row> rows = {
      {{"--effects"}, 0, false},
      {{"--effects", "--strict"}, 3, true},
      {{"--effects", "--strict=miss"}, 0, false},
      {{"--effects", "--strict=derived"}, 3, true},
      {{"--overlay", state_file(folder)}, 0, false},
      {{"--overlay", state_file(folder), "--strict"}, 0, false},
      {{"--overlay", state_file(folder), "--effects", "--strict"}, 0, false},
      {{"--overlay", state_file(folder), "--strict=derived"}, 3, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.options);
    std::vector<std::string> line = {"exec", "--report", report};
    line.insert(line.end(), row.options.begin(), row.options.end());
    line.insert(line.end(), {"--", "sh", "-c", script});
    const Ran ran = run_tapedeck(line);
    CHECK(ran.status == row.status);
    CHECK(says(ran.out, "X-Tapedeck-Outcome: derived"));
    CHECK(says(ran.out, "{\"success\":true}"));
    CHECK(says(ran.err, ", derived 1"));
    const std::string xml = read_file(report);
    CHECK(says(xml, "classname=\"tapedeck.derived\" name=\"SYNO.Core.Terminal/1/set?enable_ssh=true\""));
    CHECK(says(xml, "<failure") == row.fails);
  }
}

TEST_CASE("effects: explain shows the reply to a write, and a miss without effects suggests one") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "c.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) { (void)play(url, {login_step()}); });
  const Ran with = run_tapedeck({"explain", "--effects", cassette, set_terminal});
  CHECK(with.status == 0);
  CHECK(says(with.out, "X-Tapedeck-Outcome: derived"));
  const Ran without = run_tapedeck({"explain", cassette, set_terminal});
  CHECK(without.status == 3);
  CHECK(says(without.out, "replay with --effects (`tapedeck overlay --effects` lists them)"));
  CHECK(says(without.out, "[[effect]]"));
}

TEST_CASE("overlays: recording refuses each one that does more than respond, and names its block") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "c.cassette", file = folder / "o.toml";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"merge = '{}'", "merge"},
      {"patch = [ { op = \"remove\", path = \"/data\" } ]", "patch"},
      {"delay = \"5ms\"", "delay"},
      {"data = {}\ndelay = \"5ms\"", "delay"},
      {"fault = \"reset\"", "fault"},
      {"data = {}\nfault = \"cut\"", "fault"},
      {"status = 500", "status"},
      {"headers = { X-A = \"1\" }", "headers"},
      {"answers = [ { data = {} }, { fault = \"reset\" } ]", "fault"},
  };
  for (const auto& [lines, member] : rows) {
    write_file(file,
               "[[overlay]]\ncall = \"Core.Share/1/list\"\ndata = {}\nstatus = 500\n\n[[overlay]]\ncall = "
               "\"Core.User/1/list\"\n" +
                   lines + "\n");
    for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
             {"record", "--mode", "new", "--device", device.url(), "--overlay", file, cassette},
             {"exec", "--mode", "new", "--device", device.url(), "--overlay", file, cassette, "--", "true"}}) {
      CAPTURE(lines, line);
      const Ran ran = run_tapedeck(line);
      CHECK(ran.status == 2);
      CHECK(says(ran.err, file + ":6: [[overlay]] with `" + member + "`"));
      CHECK_FALSE(std::filesystem::exists(cassette));
    }
  }
}

TEST_CASE("effects: recording refuses effects and names the option or the block") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "c.cassette", state = state_file(folder);
  const std::vector<std::vector<std::string>> lines = {
      {"record", "--mode", "new", "--device", device.url(), "--overlay", state, cassette},
      {"record", "--mode", "once", "--device", device.url(), "--overlay", state, cassette},
      {"exec", "--mode", "new", "--device", device.url(), "--overlay", state, cassette, "--", "true"},
      {"exec", "--mode", "once", "--device", device.url(), "--effects", cassette, "--", "true"},
      {"exec", "--mode", "all", "--device", device.url(), "--effects", cassette, "--", "true"},
      {"record", "--mode", "new", "--device", device.url(), "--effects", cassette},
  };
  for (const std::vector<std::string>& line : lines) {
    CAPTURE(line);
    const Ran ran = run_tapedeck(line);
    CHECK(ran.status == 2);
    CHECK((says(ran.err, "--effects") || says(ran.err, state + ":1: [[effect]]")));
    CHECK_FALSE(std::filesystem::exists(cassette));
  }
}

TEST_CASE("replay: --at-end loop repeats responses, and --strict=past-end counts them") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "c.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) {
    (void)play(url, {login_step(), call("1", "api=SYNO.Core.System.Utilization&version=1&method=get"),
                     call("2", "api=SYNO.Core.System.Utilization&version=1&method=get")});
  });
  const std::string ask =
      "curl -sS \"$TAPEDECK_URL/webapi/entry.cgi?api=SYNO.Core.System.Utilization&version=1&method=get&_sid=any\"; "
      "echo; ";
  const Ran looped = run_tapedeck({"exec", "--at-end", "loop", cassette, "--", "sh", "-c", ask + ask + ask});
  CHECK(looped.status == 0);
  const std::size_t line = looped.out.find('\n') + 1;
  CHECK(looped.out.substr(0, line) == looped.out.substr(looped.out.rfind('\n', looped.out.size() - 2) + 1));
  CHECK(looped.out.substr(0, line) != looped.out.substr(line, line));
  const std::string report = folder / "r.xml";
  const Ran strict =
      run_tapedeck({"exec", "--strict=past-end", "--report", report, cassette, "--", "sh", "-c", ask + ask + ask});
  CHECK(strict.status == 3);
  CHECK(says(strict.err, "past the end of its sequence: SYNO.Core.System.Utilization/1/get\n"));
  CHECK(says(read_file(report), "classname=\"tapedeck.past-end\""));
  CHECK(run_tapedeck({"exec", "--strict=past-end", cassette, "--", "sh", "-c", ask + ask}).status == 0);
}

}  // namespace tapedeck::tests::effects_cases
