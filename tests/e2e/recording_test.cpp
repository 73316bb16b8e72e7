// Tests other guarantees of `tapedeck record`: crashes, signals, takes, and listening addresses.

#include <catch2/catch.hpp>
#include <fstream>
#include <optional>

#include "tests/e2e/harness.h"
#include "tests/support/needs.h"

namespace tapedeck::tests::recording_cases {

namespace {

const std::string network = "api=SYNO.Core.Network&version=1&method=get";

std::vector<Step> short_session() {
  return {login_step(), call("network", network), call("load", "api=SYNO.Core.System.Utilization&version=1&method=get"),
          logout_step()};
}

std::vector<std::string> files_like(const TempDir& folder, const std::string& start) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(start)) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

unsigned takes_in(const std::string& cassette) {
  const std::string text = run_tapedeck({"ls", "--json", cassette}).out;
  unsigned takes = 0;
  for (unsigned take = 1; text.find("\"take\":" + std::to_string(take) + ",") != std::string::npos; ++take) {
    takes = take;
  }
  return takes;
}

}  // namespace

TEST_CASE("record: refuses and does not store requests that return to it, through any number of recorders") {
  for (const int others : {0, 1, 3}) {
    const TempDir folder;
    CAPTURE(others);
    Server placeholder(folder.path(), {"replay"});  // has the port of the last recorder, which the first one needs
    const std::string first = placeholder.url();
    std::vector<std::unique_ptr<Server>> recorders;
    std::string device = first;
    for (int i = 0; i <= others; ++i) {
      const std::string name = std::to_string(i);
      std::filesystem::create_directory(folder.path() / name);
      if (i == others) CHECK(placeholder.stop() == 0);
      const std::string listen = i == others ? first.substr(std::string("http://").size()) : "127.0.0.1:0";
      recorders.push_back(std::make_unique<Server>(
          folder / name, std::vector<std::string>{"record", "--device", device, folder / name + "/c.cassette"},
          listen));
      device = recorders.back()->url();
    }
    const Reply reply = curl({recorders.front()->url() + "/webapi/entry.cgi?" + network});
    CHECK(reply.status == 508);
    CHECK(says(reply.body, "--device must be the URL of the device"));
    for (const auto& recorder : recorders) CHECK(recorder->stop() == 0);
    int warnings = 0;
    for (const auto& recorder : recorders) {
      if (says(recorder->err(), "--device leads to the recorder itself")) ++warnings;
    }
    CHECK(warnings == 1);
    for (int i = 0; i <= others; ++i)
      CHECK_FALSE(std::filesystem::exists(folder.path() / std::to_string(i) / "c.cassette"));
  }
}

TEST_CASE("record: interactions that a client received survive kill -9 for ls, replay, and record") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "killed.cassette";
  Transcript proxied;
  {
    Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
    proxied = play(recorder.url(), short_session());
    recorder.kill();
  }
  const Ran listed = run_tapedeck({"ls", cassette});
  CHECK(listed.status == 0);
  CHECK(listed.out.find("Core.Network/1/get") != std::string::npos);
  CHECK(listed.err.find("verified") != std::string::npos);
  CHECK(ids_in(cassette).size() == 4);
  {
    Server replay(folder.path(), {"replay", cassette});
    CHECK(differences(proxied, play(replay.url(), short_session())) == std::vector<std::string>());
  }
  {
    Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
    (void)play(recorder.url(), short_session());
    CHECK(recorder.stop() == 3);
    CHECK(recorder.out().find("UNVERIFIED: 1 take was killed or quarantined; the secrets that it had learned") !=
          std::string::npos);
  }
  CHECK(ids_in(cassette).size() == 8);
  CHECK(takes_in(cassette) == 2);
  // The values that the first one had learned are unknown unless they are given.
  CHECK(run_tapedeck({"scrub", cassette}).status == 3);
  CHECK(run_tapedeck({"ls", cassette}).err.find("unverified") != std::string::npos);
  write_file(folder / "values", "Corr3ct&Horse/Battery=9\n");
  CHECK(run_tapedeck({"scrub", cassette, "--values", folder / "values"}).status == 0);
  CHECK(run_tapedeck({"ls", cassette}).err.find("unverified") == std::string::npos);
  std::filesystem::remove(folder / "values");
  CHECK(files_like(folder, "killed.cassette") == std::vector<std::string>{"killed.cassette"});
}

TEST_CASE("record: any SQLite program can read a cassette with its bodies as plain text") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "open.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) { (void)play(url, short_session()); });
  const std::string sql = "select api, version, method, params, status, response from recordings limit 5";
  const Ran shell = run({"sqlite3", "-readonly", cassette, sql});
  CHECK(shell.status == 0);
  CHECK(shell.out.find(".Core.Network|1|get||200|{") != std::string::npos);
  CHECK(std::count(shell.out.begin(), shell.out.end(), '\n') == 4);
  const std::string program =
      "import sqlite3, sys\n"
      "rows = sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True).execute(sys.argv[2])\n"
      "for row in rows: print('|'.join('' if value is None else str(value) for value in row))\n";
  const Ran python = run({"python3", "-c", program, cassette, sql});
  CHECK(python.err == "");
  CHECK(python.out == shell.out);
  CHECK(run({"sqlite3", "-readonly", cassette, "pragma integrity_check; pragma foreign_key_check"}).out == "ok\n");
}

TEST_CASE("record: SIGINT and SIGTERM end with one file and a summary by API") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TempDir folder;
    const Device device;
    const std::string cassette = folder / "run.cassette";
    Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
    (void)play(recorder.url(), short_session());
    CHECK(recorder.stop(signal) == 0);
    CHECK(recorder.out().find("Core.Network") != std::string::npos);
    CHECK(recorder.out().find("recorded 4") != std::string::npos);
    CHECK(files_like(folder, "run.cassette") == std::vector<std::string>{"run.cassette"});
    CHECK_FALSE(std::filesystem::exists(recorder.ready_file()));
  }
}

TEST_CASE("record: a second run adds a take, and replay plays the newest one") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "takes.cassette";
  const std::vector<Step> one = {login_step(), call("load", "api=SYNO.Core.System.Utilization&version=1&method=get")};
  const std::vector<Step> two = {login_step(), one[1], one[1]};
  Transcript newest;
  record(folder.path(), device, cassette, [&](const std::string& url) { (void)play(url, one); });
  record(folder.path(), device, cassette, [&](const std::string& url) { newest = play(url, two); });
  CHECK(takes_in(cassette) == 2);
  Server replay(folder.path(), {"replay", cassette});
  CHECK(differences(newest, play(replay.url(), two)) == std::vector<std::string>());
}

TEST_CASE("record: the hint of a blocked write works in each mode") {
  const Device device;
  struct Row {
    std::vector<std::string> blocking, after_hint;
    std::string hint;
  };
  const std::vector<Row> rows = {
      {{"--block-writes"}, {}, "record without --block-writes"},
      {{"--mode", "new"}, {"--mode", "new", "--allow-writes"}, "record with --allow-writes"},
      {{"--mode", "new", "--allow-writes", "--block-writes"},
       {"--mode", "new", "--allow-writes"},
       "record without --block-writes"},
  };
  for (const Row& row : rows) {
    const TempDir folder;
    const auto write_through = [&](const std::vector<std::string>& options, const std::string& cassette) {
      std::vector<std::string> arguments = {"record", "--device", device.url(), folder / cassette};
      arguments.insert(arguments.end(), options.begin(), options.end());
      Server recorder(folder.path(), arguments);
      const Transcript seen = play(
          recorder.url(), {login_step(), call("set", "api=SYNO.Core.Terminal&version=3&method=set&enable_ssh=true")});
      CHECK(recorder.stop() == 0);
      return seen.steps[1].body;
    };
    const std::string blocked = write_through(row.blocking, "a.cassette");
    const std::string sent = write_through(row.after_hint, "b.cassette");
    CAPTURE(blocked, sent);
    CHECK(blocked.find("\"hint\":\"" + row.hint + "\"") != std::string::npos);
    CHECK(sent.find("\"success\":true") != std::string::npos);
  }
}

TEST_CASE("record: --block-writes returns 105, and the device gets no write") {
  const TempDir folder;
  const Device device;
  Server recorder(folder.path(), {"record", "--device", device.url(), "--block-writes", folder / "w.cassette"});
  const std::vector<Step> steps = {
      login_step(), call("set", "api=SYNO.Core.Terminal&version=3&method=set&enable_ssh=true"),
      call("unknown verb", "api=SYNO.Core.Thing&version=1&method=frobnicate"),
      call("compound",
           "api=SYNO.Entry.Request&version=1&method=request&compound=%5B%7B%22api%22%3A%22SYNO.Core.System"
           "%22%2C%22method%22%3A%22reboot%22%2C%22version%22%3A1%7D%5D"),
      call("get", "api=SYNO.Core.Terminal&version=3&method=get")};
  const Transcript seen = play(recorder.url(), steps);
  for (const std::size_t blocked : {1U, 2U, 3U}) {
    CHECK(seen.steps[blocked].status == 200);
    CHECK(seen.steps[blocked].body.find("\"code\":105") != std::string::npos);
  }
  CHECK(seen.steps[4].body.find("\"enable_ssh\":false") != std::string::npos);
  CHECK(device.requests() == 2);
  CHECK(recorder.stop() == 0);
}

TEST_CASE("record: clients may use the base path of the device or leave it out") {
  const TempDir folder;
  DeviceOptions options;
  options.base_path = "/dsm";
  const Device device(options);
  const std::string cassette = folder / "base.cassette";
  Transcript without, with;
  record(folder.path(), device, cassette, [&](const std::string& url) {
    without = play(url, short_session());
    with = play(url + "/dsm", short_session());
  });
  CHECK(without.sid.size() == 86);
  CHECK(with.sid.size() == 86);
  for (const std::string& target : device.targets()) {
    CHECK(target.starts_with("/dsm/webapi/"));
  }
  Server replay(folder.path(), {"replay", cassette});
  CHECK(differences(without, play(replay.url(), short_session())) == std::vector<std::string>());
  CHECK(differences(with, play(replay.url() + "/dsm", short_session())) == std::vector<std::string>());
}

TEST_CASE("record: a redirect keeps a client without Host at the recorder") {
  const TempDir folder;
  const Device device;
  for (const std::string listen : {"127.0.0.1:0", "[::1]:0"}) {
    if (listen.starts_with("[") && is_missing("ipv6", has_ipv6())) continue;
    Server recorder(folder.path(), {"record", "--device", device.url(), folder / "old.cassette"}, listen);
    const Reply reply = curl({recorder.url() + "/go?_sid=none", "--http1.0", "-H", "Host:"});
    CHECK(reply.status == 302);
    CHECK(reply.header("location").starts_with(recorder.url() + "/webapi/entry.cgi?"));
    CHECK(recorder.stop() == 0);
  }
}

TEST_CASE("record: works over IPv6 on both sides") {
  const TempDir folder;
  if (is_missing("ipv6", has_ipv6())) return;
  DeviceOptions options;
  options.host = "::1";
  const Device device(options);
  Server recorder(folder.path(), {"record", "--device", device.url(), folder / "six.cassette"}, "[::1]:0");
  CHECK(recorder.url().starts_with("http://[::1]:"));
  CHECK(play(recorder.url(), short_session()).sid.size() == 86);
  CHECK(recorder.stop() == 0);
  Server replay(folder.path(), {"replay", folder / "six.cassette"}, "[::1]:0");
  CHECK(play(replay.url(), short_session()).sid.size() == 86);
}

TEST_CASE("record: the ready file is private and has the URL first and name=value lines after it") {
  const TempDir folder;
  const Device device;
  const Server recorder(folder.path(), {"record", "--device", device.url(), folder / "r.cassette"});
  const auto mode = std::filesystem::status(recorder.ready_file()).permissions() & std::filesystem::perms::mask;
  CHECK(mode == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  std::ifstream lines(recorder.ready_file());
  std::string line;
  REQUIRE(std::getline(lines, line));
  CHECK(line.starts_with("http://127.0.0.1:"));
  while (std::getline(lines, line)) {
    CHECK(line.find('=') != std::string::npos);
  }
  CHECK(files_like(folder, "record").size() == 3);
}

TEST_CASE("record: one connection handles many requests on both sides") {
  const TempDir folder;
  const Device device;
  Server recorder(folder.path(), {"record", "--device", device.url(), folder / "k.cassette"});
  const std::string page = recorder.url() + "/static/app.js";
  std::vector<std::string> many;
  for (int i = 0; i < 10; ++i) {
    many.push_back(page);
    many.insert(many.end(), {"-o", "/dev/null"});
  }
  const Reply reply = curl(many);
  CHECK(reply.exit == 0);
  CHECK(reply.connects == 1);
  CHECK(device.requests() == 10);
  CHECK(device.connections() == 1);
}

TEST_CASE("record: HEAD passes, and bodies are whole whatever a client has already") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "h.cassette";
  const std::vector<std::string> condition = {"-H", "If-None-Match: \"fixture-1\""};
  record(folder.path(), device, cassette, [&](const std::string& url) {
    CHECK(curl({url + "/static/app.js", condition[0], condition[1]}).status == 200);
  });
  record(folder.path(), device, folder / "head.cassette", [&](const std::string& url) {
    const Reply head = curl({"-I", url + "/static/app.js"});
    CHECK(head.status == 200);
    CHECK(head.header("content-length") == "17");
  });
  Server replay(folder.path(), {"replay", cassette});
  CHECK(curl({replay.url() + "/static/app.js"}).body == "var fixture = 1;\n");
  const Reply unchanged = curl({replay.url() + "/static/app.js", condition[0], condition[1]});
  CHECK(unchanged.status == 304);
  CHECK(unchanged.body.empty());
  CHECK(curl({replay.url() + "/static/app.js"}).status == 200);
  const Reply head = curl({"-I", replay.url() + "/static/app.js"});
  CHECK(head.status == 200);
  CHECK(head.header("content-length") == "17");
}

TEST_CASE("record: a device that disappears during the recording causes 502 and never a fallback") {
  const TempDir folder;
  std::optional<Device> device(std::in_place);
  Server recorder(folder.path(), {"record", "--device", device->url(), folder / "d.cassette"});
  device.reset();
  const Reply reply = curl({recorder.url() + "/webapi/entry.cgi?" + network});
  CHECK(reply.status == 502);
  CHECK(recorder.stop() == 0);
  const Ran listed = run_tapedeck({"ls", folder / "d.cassette"});
  CHECK(listed.out.find("broken") != std::string::npos);
}

}  // namespace tapedeck::tests::recording_cases
