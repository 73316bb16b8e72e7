// Tests tapedeck exec, and the options of servers that a CI job starts itself.

#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/e2e/harness.h"
#include "tests/support/needs.h"
#include "tests/support/needs_linux.h"

namespace tapedeck::tests::exec_cases {

namespace {

using nlohmann::json;

const std::string network_path = "/webapi/entry.cgi?api=SYNO.Core.Network&version=1&method=get&_sid=any-client-id-1";
const std::string load = "/webapi/entry.cgi?api=SYNO.Core.System.Utilization&version=1&method=get&_sid=any-client-id-1";
const std::string unknown = "/webapi/entry.cgi?api=SYNO.No.Such&version=1&method=get&_sid=any-client-id-1";

/// Runs `tapedeck exec OPTIONS -- sh -c SCRIPT`.
Ran exec(std::vector<std::string> options, const std::string& script) {
  options.insert(options.begin(), "exec");
  options.insert(options.end(), {"--", "sh", "-c", script});
  return run_tapedeck(std::move(options));
}

std::string ask(const std::string& target) { return "curl -sS \"$TAPEDECK_URL" + target + "\" >/dev/null; "; }

std::string control(const std::string& path) {
  return "curl -sS -H \"X-Tapedeck-Token: $TAPEDECK_TOKEN\" \"$TAPEDECK_CONTROL_URL" + path + "\"; ";
}

std::string recorded_session(const TempDir& folder) {
  const Device device;
  const std::string cassette = folder / "c.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) {
    (void)play(url, {login_step(), call("net", "api=SYNO.Core.Network&version=1&method=get"),
                     call("1", "api=SYNO.Core.System.Utilization&version=1&method=get"),
                     call("2", "api=SYNO.Core.System.Utilization&version=1&method=get")});
  });
  return cassette;
}

/// Returns false for a process that has ended or is a zombie.
bool lives(pid_t process) {
  const std::string stat = read_file("/proc/" + std::to_string(process) + "/stat");
  const auto name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size() && stat[name_end + 2] != 'Z';
}

pid_t pid_in(const std::string& file) { return std::stoi("0" + read_file(file)); }

/// Each file has the number of a process.
void check_that_ended(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    INFO(file);
    const pid_t process = pid_in(file);
    REQUIRE(process > 0);
    CHECK_FALSE(lives(process));
  }
}

}  // namespace

TEST_CASE("exec: the command gets a server and its control API, and the run is reported") {
  const TempDir folder;
  const std::string cassette = recorded_session(folder);
  const std::string report = folder / "r.json";
  const Ran ran =
      exec({"--report", report, cassette}, ask(network_path) + ask(load) + ask(unknown) + control("/state"));
  INFO(ran.err);
  CHECK(ran.status == 0);
  const json counters = json::parse(ran.out)["counters"];
  CHECK(counters["recorded"] == 2);
  CHECK(counters["miss"] == 1);
  const json said = json::parse(read_file(report));
  CHECK(said["exit_status"] == 0);
  CHECK(said["counters"]["recorded"] == 2);
  CHECK(said["misses"].size() == 1);
  CHECK(said["unused_recordings"] == 0);  // the login that nothing repeated does not count
  REQUIRE(said["unfinished"].size() == 1);
  CHECK(said["unfinished"][0]["played"] == 1);
  CHECK(said["unfinished"][0]["recordings"] == 2);
  CHECK(ran.err.find("replayed 2, built in 0, fallbacks 0, misses 1 (1 distinct)") != std::string::npos);
  // The log names the miss once.
  CHECK(ran.err.find("warning miss: ") != std::string::npos);
  CHECK(ran.err.find("warning miss: ") == ran.err.rfind("warning miss: "));
  CHECK(ran.err.find("unused sequences: 0 (0 recordings)") != std::string::npos);
  CHECK(ran.err.find("unfinished sequences: 1") != std::string::npos);
  // Lists the keys only if they matter.
  CHECK(ran.err.find("System.Utilization") == std::string::npos);
  const Ran strict = exec({"--strict=unused", cassette}, ask(network_path));
  CHECK(strict.status == 3);
  CHECK(strict.err.find("System.Utilization") != std::string::npos);
}

TEST_CASE("exec: exits with the command's status") {
  CHECK(exec({}, "exit 0").status == 0);
  CHECK(exec({}, "exit 7").status == 7);
  CHECK(exec({}, "kill -TERM $$").status == 128 + SIGTERM);
  CHECK(run_tapedeck({"exec", "--", "no-such-program-here"}).status == 127);
  CHECK(run_tapedeck({"exec", "--", "/dev/null"}).status == 126);
  CHECK(run_tapedeck({"exec"}).status == 2);
  CHECK(run_tapedeck({"exec", "--"}).status == 2);
  CHECK(run_tapedeck({"exec", "--no-such-option", "--", "true"}).status == 2);
  CHECK(run_tapedeck({"exec", "no-such.cassette", "--", "true"}).status == 2);
}

TEST_CASE("exec: a command that cannot be run is reported without a report of the run, even with --strict") {
  const TempDir folder;
  const std::string cassette = recorded_session(folder), report = folder / "r.json", before = read_file(cassette);
  const Device device;
  const std::vector<std::vector<std::string>> ways = {
      {}, {"--strict=unused"}, {"--report", report}, {"--mode", "new", "--device", device.url()}};
  for (const std::vector<std::string>& way : ways) {
    for (const auto& [command, status] : {std::pair("no-such-program-here", 127), std::pair("/dev/null", 126)}) {
      CAPTURE(way, command);
      std::vector<std::string> line = {"exec", cassette};
      line.insert(line.end(), way.begin(), way.end());
      line.insert(line.end(), {"--", command});
      const Ran ran = run_tapedeck(line);
      CHECK(ran.status == status);
      CHECK(ran.err.find("cannot run " + std::string(command)) != std::string::npos);
      CHECK(ran.err.find("unused recordings") == std::string::npos);
      CHECK(ran.out.empty());
      CHECK_FALSE(std::filesystem::exists(report));
      CHECK(read_file(cassette) == before);
    }
  }
  const Ran empty = run_tapedeck({"exec", cassette, "--", ""});
  CHECK(empty.status == 2);
  CHECK(empty.err.find("is empty") != std::string::npos);
}

TEST_CASE("exec: --strict fails for a miss or a fallback and for nothing else") {
  CHECK(exec({"--strict"}, ask(unknown)).status == 3);
  const Ran fallback = exec({"--strict"}, ask(network_path));
  CHECK(fallback.status == 3);
  const std::string line = "fallback: SYNO.Core.Network/1/get";
  CHECK(fallback.err.find(line) != std::string::npos);
  CHECK(fallback.err.find(line) == fallback.err.rfind(line));  // it is logged once
  CHECK(exec({"--strict"}, ask(network_path) + "exit 7").status == 7);
  CHECK(exec({"--strict"}, "exit 7").status == 7);
  CHECK(exec({}, ask(unknown)).status == 0);
}

TEST_CASE("exec: options after the dashes belong to the command") {
  const Ran ran = run_tapedeck({"exec", "--", "printf", "%s,", "--strict", "--", "--help", "a b"});
  CHECK(ran.status == 0);
  CHECK(ran.out == "--strict,--,--help,a b,");
}

TEST_CASE("exec: a JUnit report is well-formed whatever clients request") {
  if (is_missing("xmllint", has_program("xmllint"))) return;
  const TempDir folder;
  const std::string report = folder / "r.xml";
  const Ran ran =
      exec({"--strict", "--report", report},
           ask("/webapi/entry.cgi?api=SYNO.A%3Cb%3E%26%22%27%01%FF&version=1&method=%5D%5D%3E") + ask(network_path));
  CHECK(ran.status == 3);
  const std::string xml = read_file(report);
  CHECK(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"));
  CHECK(xml.find("failures=\"2\"") != std::string::npos);
  CHECK(xml.find("<b>") == std::string::npos);
  CHECK(xml.find("&lt;b&gt;&amp;") != std::string::npos);
  const Ran checked = run({"xmllint", "--noout", report});
  INFO(checked.err << xml);
  CHECK(checked.status == 0);
}

TEST_CASE("exec: every event that makes the exit status 3 is a failed case of the JUnit report") {
  const TempDir folder;
  const std::string plain = folder / "plain.cassette", killed = folder / "killed.cassette", overlay = folder / "o.toml",
                    report = folder / "r.xml", entry = "/webapi/entry.cgi?_sid=any&";
  const Step polled = call("load", "api=SYNO.Core.System.Utilization&version=1&method=get");
  const Step shell = call("get", "api=SYNO.Core.Terminal&version=3&method=get");
  const std::string set_shell = "api=SYNO.Core.Terminal&version=3&method=set&enable_ssh=true";
  Step scoped = call("shares", "api=SYNO.Core.Share&version=1&method=list");
  scoped.curl.insert(scoped.curl.end(), {"-H", "X-Tapedeck-Scope: one"});
  const Device device;
  record(folder.path(), device, plain, [&](const std::string& url) {
    (void)play(url, {login_step(), polled, polled, shell, call("set", set_shell), shell, scoped});
  });
  {
    Server recorder(folder.path(), {"record", "--device", device.url(), killed});
    (void)play(recorder.url(), {login_step(), polled});
    recorder.kill();
  }
  REQUIRE(run_tapedeck({"scrub", killed}).status == 3);  // the values that the recorder had learned are lost
  write_file(overlay, "[[overlay]]\ncall = \"Core.Nothing/1/get\"\nerror = 1\n");
  struct Row {
    std::string word, cassette, script;
    std::vector<std::string> options;
    std::string failure;  ///< a part of the report
  };
  const Row rows[] = {
      {"miss",
       plain,
       ask(unknown),
       {},
       "record it with `tapedeck exec --mode new --device URL " + plain + " -- COMMAND`"},
      {"fallback",
       plain,
       ask(entry + "api=SYNO.Core.AppPortal&version=1&method=list"),
       {},
       "1 responses were generated from the specification; none is recorded"},
      {"unused",
       plain,
       "true",
       {},
       "happened: 3\nSYNO.Core.System.Utilization/1/get (2)\nSYNO.Core.Terminal/3/get "
       "(2)\nSYNO.Core.Terminal/3/set?enable_ssh=true (1)"},
      {"unfinished", plain, ask(load), {}, "happened: 1\nSYNO.Core.System.Utilization/1/get (1 of 2)"},
      {"order",
       plain,
       ask(entry + set_shell) + ask(entry + "api=SYNO.Core.Terminal&version=3&method=get"),
       {},
       "out of their recorded order"},
      {"scope", plain, ask(load), {}, "happened: 1"},
      {"unverified", killed, "true", {}, "happened: 1"},
      {"builtin-error", plain, ask(load), {"--auth", "strict"}, "happened: 1"},
      {"overlay-unused", plain, "true", {"--overlay", overlay}, "the overlay was never used"},
      {"refused", plain, ask(load + "\" -H \"Origin: http://app.example"), {}, "--cors http://app.example allows them"},
      {"past-end",
       plain,
       ask(load) + ask(load) + ask(load),
       {},
       "a response was repeated after the end of its sequence"},
      {"derived",
       plain,
       ask(entry + "api=SYNO.Core.Terminal&version=1&method=set&enable_ssh=true"),
       {"--effects"},
       "built-in effects made or changed the response"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.word);
    std::vector<std::string> options = {"--strict=" + row.word, "--report", report};
    options.insert(options.end(), row.options.begin(), row.options.end());
    options.push_back(row.cassette);
    const Ran ran = exec(options, row.script);
    const std::string xml = read_file(report);
    CAPTURE(ran.err, xml);
    CHECK(ran.status == 3);
    CHECK(xml.find("failures=\"1\"") != std::string::npos);
    CHECK(xml.find(row.failure + "</failure>") != std::string::npos);
  }
}

TEST_CASE("exec: a report that cannot be written fails before the command runs") {
  const TempDir folder;
  const std::string mark = folder / "ran";
  const Ran ran = exec({"--report", folder / "no/such/r.json"}, "touch " + mark);
  CHECK(ran.status == 1);
  CHECK(ran.err.find("cannot write the report") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(mark));
}

TEST_CASE("exec: signals are sent to the command, and the run is still reported") {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    const TempDir folder;
    const std::string up = folder / "up";
    Child child(Spawn{{binary(), "exec", "--report", folder / "r.json", "--", "bash", "-c",
                       "trap 'exit 42' TERM INT HUP; echo $$ > " + up + "; while :; do sleep 0.01; done"},
                      {},
                      "",
                      folder / "out",
                      folder / "err"});
    REQUIRE(wait_for_file(up, child));
    child.signal(number);
    CHECK(child.wait() == 42);
    CHECK(json::parse(read_file(folder / "r.json"))["command_status"] == 42);
    CHECK_FALSE(lives(pid_in(up)));
  }
}

TEST_CASE("exec: no process in the group of the command outlives it") {
  const TempDir folder;
  const std::string plain = folder / "plain", deaf = folder / "deaf";
  const Ran ran =
      exec({}, "(sh -c 'echo $$ > " + plain + "; exec sleep 300' &) ; (bash -c 'trap \"\" TERM HUP; echo $$ > " + deaf +
                   "; while :; do sleep 0.1; done' &) ; until [ -s " + plain + " ] && [ -s " + deaf +
                   " ]; do sleep 0.01; done; exit 42");
  CHECK(ran.status == 42);
  check_that_ended({plain, deaf});
}

TEST_CASE("exec: no process that the command started outlives it, even in another session") {
  if (needs_linux("only its subreapers find processes in other sessions")) return;
  const TempDir folder;
  const std::string plain = folder / "plain";
  const std::string apart = folder / "apart";
  const std::string deaf = folder / "deaf";
  const Ran ran = exec({}, "(sh -c 'echo $$ > " + plain + "; exec sleep 300' &) ; " + "(setsid sh -c 'echo $$ > " +
                               apart + "; exec sleep 300' &) ; " + "(setsid bash -c 'trap \"\" TERM HUP; echo $$ > " +
                               deaf + "; while :; do sleep 0.1; done' &) ; " + "until [ -s " + plain + " ] && [ -s " +
                               apart + " ] && [ -s " + deaf + " ]; do sleep 0.01; done");
  CHECK(ran.status == 0);
  check_that_ended({plain, apart, deaf});
}

TEST_CASE("exec: other processes that start and end do not prevent the cleanup") {
  if (needs_linux("only its subreapers find processes in other sessions")) return;
  const TempDir folder;
  const std::string deaf = folder / "deaf";
  std::vector<std::unique_ptr<Child>> comings_and_goings;
  for (int i = 0; i < 4; ++i) {
    comings_and_goings.push_back(std::make_unique<Child>(
        Spawn{{"sh", "-c", "for i in $(seq 100000); do /bin/true; done"}, {}, "", folder / "out", folder / "err"}));
  }
  const Ran ran = exec({}, "(setsid bash -c 'trap \"\" TERM HUP; echo $$ > " + deaf +
                               "; while :; do sleep 0.1; done' &) ; until [ -s " + deaf + " ]; do sleep 0.01; done");
  for (const auto& child : comings_and_goings) child->signal(SIGTERM);
  CHECK(ran.status == 0);
  INFO(ran.err);
  const pid_t process = pid_in(deaf);
  REQUIRE(process > 0);
  CHECK_FALSE(lives(process));
}

TEST_CASE("exec: the command inherits all files of the caller and none of the server") {
  const TempDir folder;
  const std::string cassette = recorded_session(folder);
  write_file(folder / "given", "from the caller");
  const Ran ran = run({"sh", "-c",
                       "exec 7< " + folder / "given" + "; exec " + binary() + " exec --journal " + folder / "j" + " " +
                           cassette + " -- sh -c 'cat <&7; ls -l /proc/self/fd >&2'"});
  CHECK(ran.status == 0);
  CHECK(ran.out == "from the caller");
  for (const char* ours : {"socket:", ".cassette", "eventpoll", "/j\n"}) {
    INFO(ours << ran.err);
    CHECK(ran.err.find(std::string("-> ") + ours) == std::string::npos);
    CHECK((std::string(ours) == "/j\n" || ran.err.find(ours) == std::string::npos));
  }
}

TEST_CASE("exec: custom and disabled scrub rules apply to the journal") {
  const TempDir folder;
  const std::string journal = folder / "j";
  write_file(folder / "tapedeck.toml",
             "[scrub]\ndisable = [\"param-rocommunity\"]\n\n[[scrub.rule]]\nid = \"locker\"\nscope = "
             "\"parameter\"\nmatch = \"locker_code\"\nreason = \"a test\"\n");
  const std::string share = "/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=list";
  const Ran ran = exec({"--journal", journal, "--config", folder / "tapedeck.toml"},
                       ask(share + "&locker_code=4711-made-up") + ask(share + "&rocommunity=readable"));
  REQUIRE(ran.status == 0);
  std::ifstream in(journal);
  std::vector<std::string> keys;
  for (std::string line; std::getline(in, line);) keys.push_back(json::parse(line)["key"].get<std::string>());
  CHECK(keys == std::vector<std::string>{"SYNO.Core.Share/1/list?locker_code=<SECRET>",
                                         "SYNO.Core.Share/1/list?rocommunity=readable"});
  write_file(folder / "tapedeck.toml", "[scrub]\ndisable = [\"no-such-rule\"]\n");
  CHECK(exec({"--config", folder / "tapedeck.toml"}, "true").status == 2);
}

TEST_CASE("exec: the journal file contains the reason for each response") {
  const TempDir folder;
  const std::string cassette = recorded_session(folder);
  const std::string journal = folder / "j";
  const Ran ran = exec({"--journal", journal, cassette}, ask(network_path) + ask(unknown));
  CHECK(ran.status == 0);
  std::ifstream in(journal);
  std::vector<json> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(json::parse(line));
  }
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["outcome"] == "recorded");
  CHECK(lines[0]["session"] == "session 1");
  CHECK(lines[1]["outcome"] == "miss");
  CHECK(read_file(journal).find("any-client-id-1") == std::string::npos);
}

TEST_CASE("exec --each: runs the command with each cassette and prints a table") {
  const TempDir folder, empty_folder;
  const std::string full = recorded_session(folder), empty = folder / "empty.cassette";
  const Device device;
  record(empty_folder.path(), device, empty, [](const std::string& url) { (void)play(url, {login_step()}); });
  const std::string report = folder / "r.xml", json_report = folder / "r.json";
  const std::string script = "curl -fsS \"$TAPEDECK_URL" + load + "\" | grep -q '\"success\":true'";
  const Ran ran = exec({"--each", "--report", report, full, empty}, script);
  INFO(ran.out << ran.err);
  CHECK(ran.status == 3);
  CHECK(says(ran.out, full + "      passed           0  -"));
  CHECK(says(ran.out, empty + "  failed"));
  CHECK(says(ran.out, "miss: SYNO.Core.System.Utilization/1/get"));
  const std::string xml = read_file(report);
  CHECK(says(xml, "<testsuite name=\"" + full + "\" tests=\"2\" failures=\"0\""));
  CHECK(says(xml, "<testsuite name=\"" + empty + "\" tests=\"2\" failures=\"2\""));

  CHECK(exec({"--each", "--report", json_report, full, empty}, "true").status == 0);
  const json said = json::parse(read_file(json_report));
  CHECK(said["exit_status"] == 0);
  CHECK(said["cassettes"][1]["cassette"] == empty);
  CHECK(said["cassettes"][0]["report"]["unused_recordings"] == 3);
  CHECK(exec({"--each", "--strict", full, empty}, ask(load)).status == 3);

  CHECK(run_tapedeck({"exec", "--each", full, empty, "--", "no-such-program-here"}).status == 127);
  CHECK(exec({"--each"}, "true").status == 2);
  CHECK(exec({"--each", "--mode", "new", "--device", device.url(), full}, "true").status == 2);
}

TEST_CASE("exec --each: a signal ends the command and the loop") {
  const TempDir folder;
  const std::string cassette = recorded_session(folder), started = folder / "started";
  Child child(Spawn{
      {binary(), "exec", "--each", cassette, cassette, "--", "sh", "-c", "echo x >> " + started + "; exec sleep 300"},
      {},
      "",
      folder / "out",
      folder / "err"});
  REQUIRE(wait_for_file(started, child));
  child.signal(SIGTERM);
  CHECK(child.wait() == 1);
  CHECK(read_file(started) == "x\n");
  CHECK(says(read_file(folder / "err"), "the remaining cassettes were not tried"));
}

TEST_CASE("control: the ready files of replay and record have its address and token") {
  const TempDir folder;
  const Device device;
  const auto value = [](const std::string& ready, const std::string& name) {
    const auto at = ready.find("\n" + name + "=");
    return at == std::string::npos
               ? ""
               : ready.substr(at + name.size() + 2, ready.find('\n', at + 1) - at - name.size() - 2);
  };
  const std::vector<std::vector<std::string>> commands = {
      {"replay", "--control", "127.0.0.1:0"},
      {"record", "--device", device.url(), folder / "x.cassette", "--control", "127.0.0.1:0"}};
  for (const auto& arguments : commands) {
    Server server(folder.path(), arguments);
    const std::string ready = read_file(server.ready_file());
    const std::string token = value(ready, "token");
    CHECK(token.size() == 64);
    CHECK(curl({value(ready, "control") + "/state"}).status == 401);
    const std::string header = "X-Tapedeck-Token: " + token;
    CHECK(curl({"-H", header, value(ready, "control") + "/state"}).status == 200);
    (void)curl({server.url() + network_path});
    const json journal = json::parse(curl({"-H", header, value(ready, "control") + "/journal"}).body);
    REQUIRE(journal["entries"].size() == 1);
    CHECK(journal["entries"][0]["api"] == "SYNO.Core.Network");
    CHECK(journal["entries"][0]["outcome"] == (arguments.front() == "replay" ? "overlay" : "recorded"));
    CHECK(server.stop() == 0);
  }
}

TEST_CASE("control: an address that is not loopback is a usage error") {
  for (const char* address : {"0.0.0.0:0", "192.0.2.1:8081", "nas.example:1", "8081"}) {
    INFO(address);
    const Ran ran = run_tapedeck({"replay", "--allow-remote", "--control", address, "--listen", "127.0.0.1:0"});
    CHECK(ran.status == 2);
    CHECK(ran.err.find("--control") != std::string::npos);
  }
}

TEST_CASE("exec: --verbose logs each request, and --quiet prints only warnings if all is well") {
  const auto exec = [&](std::vector<std::string> line, const std::string& api) {
    line.insert(line.begin(), "exec");
    line.insert(line.end(), {"--", "sh", "-c", "curl -s \"$TAPEDECK_URL/webapi/entry.cgi?version=1&" + api + "\""});
    return run_tapedeck(line);
  };
  const std::string info = "api=SYNO.API.Info&method=query", missing = "api=SYNO.No.Such&method=get";
  const Ran plain = exec({}, info), verbose = exec({"-v"}, info), quiet = exec({"-q"}, info);
  CHECK(says(plain.err, "replaying built-in responses"));
  CHECK_FALSE(says(plain.err, "builtin 200 SYNO.API.Info/1/query"));
  CHECK(says(verbose.err, "builtin 200 SYNO.API.Info/1/query"));
  CHECK(quiet.err == "");
  CHECK(quiet.status == 0);
  CHECK(says(quiet.out, "\"success\":true"));
  const Ran failed = exec({"-q", "--strict=miss"}, missing);
  CHECK(says(failed.err, "misses 1"));
  CHECK(failed.status == 3);
}

}  // namespace tapedeck::tests::exec_cases
