// Tests the exit statuses of all commands (cli/console/exit_status.h).

#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::exit_status_cases {

TEST_CASE("exit status: each command ends with the status of the table") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette", other = folder / "b.cassette", none = folder / "none.cassette";
  const std::string network = "api=SYNO.Core.Network&version=1&method=get", query = "/webapi/entry.cgi?" + network;
  record(folder.path(), device, cassette, [&](const std::string& url) {
    (void)play(url, {login_step(), call("network", network)});
  });
  record(folder.path(), device, other, [&](const std::string& url) { (void)play(url, {login_step()}); });
  const std::string id = ids_in(cassette).front(), overlays = folder / "o.toml", secret = folder / "secret";
  write_file(overlays,
             "[[overlay]]\ncall = \"Core.Network/1/get\"\npatch = [ { op = \"remove\", path = \"/none\" } ]\n");
  write_file(secret, "access_token = q8Zr2VtXw71LmNb0Kc5Dy9Pj\n");
  const std::string taken = device.origin().substr(7),
                    ask = "curl -s \"$TAPEDECK_URL/webapi/entry.cgi?api=SYNO.No.Such&version=1&method=get\"";
  const std::string repository = folder / "repository";
  REQUIRE(run({"git", "init", "-q", repository}).status == 0);
  struct Row {
    std::vector<std::string> arguments;
    int status;
  };
  const std::vector<Row> rows = {
      {{"record", "--device", device.url(), "--listen", taken, folder / "c.cassette"}, 1},
      {{"record", folder / "c.cassette"}, 2},
      {{"replay", "--listen", taken, cassette}, 1},
      {{"replay", none}, 2},
      {{"exec", cassette, "--", "true"}, 0},
      {{"exec", cassette, "--", "sh", "-c", "exit 7"}, 7},
      {{"exec", cassette, "--", "sh", "-c", ask}, 0},
      {{"exec", "--strict=miss", cassette, "--", "sh", "-c", ask}, 3},
      {{"exec", "--each", cassette, other, "--", "true"}, 0},
      {{"exec", "--each", cassette, other, "--", "sh", "-c", "exit 7"}, 3},
      {{"exec", none, "--", "true"}, 2},
      {{"exec", cassette}, 2},
      {{"demo", "--nonsense"}, 2},
      {{"ls", cassette}, 0},
      {{"ls", none}, 2},
      {{"show", cassette, id}, 0},
      {{"show", cassette, "ffffffff"}, 2},
      {{"grep", "-F", "Core.Network", cassette}, 0},
      {{"grep", "-F", "nowhere to be found", cassette}, 1},
      {{"grep", "(", cassette}, 2},
      {{"info", cassette}, 0},
      {{"info", none}, 2},
      {{"explain", cassette, query}, 0},
      {{"explain", cassette, "/webapi/entry.cgi?api=SYNO.No.Such&version=1&method=get"}, 3},
      {{"explain", none, query}, 2},
      {{"diff", cassette, cassette}, 0},
      {{"diff", cassette, other}, 1},
      {{"diff", cassette, none}, 2},
      {{"scan", cassette}, 0},
      {{"scan", secret}, 3},
      {{"scan", folder / "nothing"}, 1},
      {{"edit", cassette, id, "--header", "X-Note: 1"}, 0},
      {{"edit", cassette, id, "--status", "99"}, 2},
      {{"rm", "--dry-run", cassette, id}, 0},
      {{"rm", cassette}, 2},
      {{"merge", cassette, other, "-o", folder / "m.cassette"}, 0},
      {{"merge", cassette, none, "-o", folder / "n.cassette"}, 2},
      {{"scrub", cassette}, 0},
      {{"scrub", none}, 2},
      {{"export", cassette, "-o", folder / "a.jsonl"}, 0},
      {{"export", cassette, "-o", folder / "no/such/folder.txt"}, 1},
      {{"export", cassette}, 2},
      {{"import", folder / "a.jsonl", "-o", folder / "i.cassette"}, 0},
      {{"import", secret, "-o", folder / "j.cassette"}, 2},
      {{"overlay", overlays}, 0},
      {{"overlay", overlays, cassette}, 1},
      {{"overlay", secret}, 2},
      {{"doctor", "http://127.0.0.1:1"}, 1},
      {{"doctor", "nas"}, 2},
      {{"git-setup", repository}, 0},
      {{"git-setup", folder.path().string()}, 1},
  };
  std::set<std::string> tested;
  for (const Row& row : rows) {
    CAPTURE(row.arguments);
    tested.insert(row.arguments.front());
    const Ran ran = run_tapedeck(row.arguments);
    INFO(ran.out << ran.err);
    CHECK(ran.status == row.status);
  }
  std::set<std::string> commands;
  std::istringstream completions(run_tapedeck({"--complete", ""}).out);
  for (std::string line; std::getline(completions, line);) {
    if (!line.starts_with('-')) commands.insert(line.substr(0, line.find('\t')));
  }
  CHECK(tested == commands);
  CHECK(commands.size() == 20);
}

}  // namespace tapedeck::tests::exit_status_cases
