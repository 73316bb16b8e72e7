// Tests many firmwares: `exec --each`, `forecast`, and `capsule`, with the client and the recordings of
// examples/firmwares.

#include <sys/mount.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/e2e/harness.h"
#include "tests/support/needs.h"
#include "tests/support/test_paths.h"

namespace tapedeck::tests::firmware_cases {

namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

std::string example(const std::string& name) { return std::string(source_folder) + "/examples/firmwares/" + name; }

/// The two recordings, and a folder for the program's temporary files.
struct Firmwares {
  Firmwares() {
    std::filesystem::create_directory(temporary());
    for (const char* const name : {"old", "new"}) {
      const Ran imported = run_tapedeck({"import", example(std::string(name) + ".har"), "-o", cassette(name)});
      if (imported.status != 0) throw std::runtime_error(imported.err);
    }
  }
  [[nodiscard]] std::string cassette(const std::string& name) const { return folder / (name + ".cassette"); }
  [[nodiscard]] std::string temporary() const { return folder / "tmp"; }
  [[nodiscard]] std::vector<std::string> left_over() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(temporary())) names.push_back(entry.path().string());
    return names;
  }

  /// Runs `tapedeck WORDS -- COMMAND`.
  [[nodiscard]] Ran ran(Words words, const Words& command) const {
    words.insert(words.begin(), binary());
    words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    return run(std::move(words), milliseconds(240'000), {{"TMPDIR", temporary()}});
  }
  [[nodiscard]] Ran forecast(Words options, const Words& command) const {
    options.insert(options.begin(), {"forecast", cassette("old"), cassette("new")});
    return ran(std::move(options), command);
  }
  [[nodiscard]] Ran capsule(Words options, const Words& command) const {
    options.insert(options.begin(), {"capsule", cassette("new"), "--out", folder / "bug.cassette"});
    return ran(std::move(options), command);
  }

  TempDir folder;
};

Words client() { return {"python3", example("client.py")}; }
Words shell(const std::string& script) { return {"sh", "-c", script}; }

/// Returns a shell command for one call that prints its body.
std::string ask_for(const std::string& call, const std::string& more = "") {
  const std::size_t first = call.find('/'), second = call.rfind('/');
  return "curl -sS \"$TAPEDECK_URL/webapi/entry.cgi?api=" + call.substr(0, first) +
         "&version=" + call.substr(first + 1, second - first - 1) + "&method=" + call.substr(second + 1) + more + "\"";
}
const std::string share = ask_for("SYNO.Core.Share/1/get", "&name=photos");

bool is_running(pid_t process) {
  const std::string stat = read_file("/proc/" + std::to_string(process) + "/stat");
  const auto name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size() && stat[name_end + 2] != 'Z';
}

/// Waits a few seconds for a condition.
template <class Condition>
bool becomes(const Condition& condition) {
  for (int i = 0; i < 300 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(20));
  return condition();
}

}  // namespace

TEST_CASE("exec --each: runs the command with each cassette and prints a matrix") {
  if (is_missing("python3", has_program("python3"))) return;
  const Firmwares firmwares;
  const std::string report = firmwares.folder / "r.xml", junit = firmwares.folder / "tests-{run}.xml";
  const Words options = {"exec", "--each", firmwares.folder / "*.cassette"};
  Words with_report = options;
  with_report.insert(with_report.end(), {"--report", report});
  const Ran ran = firmwares.ran(with_report, client());
  INFO(ran.out << ran.err);
  CHECK(ran.status == 3);
  CHECK(says(ran.out, "new.cassette  DS218  DSM 7.2.1-69057  failed (1)"));
  CHECK(says(ran.out, "old.cassette  DS218  DSM 6.2.4-25556  passed"));
  CHECK(says(ran.err, "KeyError"));
  const std::string xml = read_file(report);
  CHECK(says(xml, "<testsuite name=\"" + firmwares.cassette("new") + "\" tests=\"2\" failures=\"1\""));
  CHECK(says(xml, "<testsuite name=\"" + firmwares.cassette("old") + "\" tests=\"2\" failures=\"0\""));

  // Checks the tests of the command's own JUnit file, and the first miss.
  const std::string script =
      share +
      " | grep -q '\"quota\"' && ok='' || ok='<failure/>'; echo \"<testcase classname='c' name='quota'>$ok"
      "</testcase>\" > " +
      firmwares.folder / "tests-" + "$TAPEDECK_RUN.xml; " + ask_for("SYNO.Core.Share/1/get", "&name=nobody") +
      "; test -z \"$ok\"";
  Words with_tests = options;
  with_tests.insert(with_tests.end(), {"--junit", junit, "--report", firmwares.folder / "r.json"});
  const Ran tests = firmwares.ran(with_tests, shell(script));
  INFO(tests.out << tests.err);
  CHECK(tests.status == 3);
  CHECK(says(tests.out, "failed (1)  c.quota"));
  CHECK(says(tests.out, "passed      miss: SYNO.Core.Share/1/get (name): recorded only with other"));
  const json said = json::parse(read_file(firmwares.folder / "r.json"));
  CHECK(said["exit_status"] == 3);
  CHECK(said["cassettes"][0]["failing_tests"] == json{"c.quota"});
  CHECK(said["cassettes"][1]["report"]["counters"]["miss"] == 1);
  CHECK_FALSE(std::filesystem::exists(firmwares.folder / "tests-1.xml"));

  CHECK(firmwares.ran(options, {"true"}).status == 0);
  CHECK(firmwares.ran(options, {"no-such-program-here"}).status == 127);
  Words strict = options;
  strict.emplace_back("--strict");
  CHECK(firmwares.ran(strict, shell(ask_for("SYNO.Core.Share/1/get", "&name=nobody"))).status == 3);
}

TEST_CASE("exec --each: refuses options that cannot be combined") {
  const TempDir folder;
  const std::vector<Words> wrong = {{"exec", "--each", folder / "*.cassette"},
                                    {"exec", "--each", "x", "--record", "new", "--device", "http://127.0.0.1:1"},
                                    {"exec", "--each", "x", "y.cassette"},
                                    {"exec", "--junit", "r.xml"}};
  for (Words words : wrong) {
    CAPTURE(words);
    words.insert(words.end(), {"--", "true"});
    CHECK(run_tapedeck(words).status == 2);
  }
}

TEST_CASE("forecast: names the field that breaks the client", "[long]") {
  if (is_missing("python3", has_program("python3"))) return;
  const Firmwares firmwares;
  const std::string saved = firmwares.folder / "fw7.toml", report = firmwares.folder / "r.xml";
  const Ran ran = firmwares.forecast({"--save", saved, "--report", report, "--values"}, client());
  INFO(ran.out << ran.err);
  CHECK(ran.status == 3);
  CHECK(says(ran.out, "1  SYNO.Core.Share/1/get  /data/quota  renamed: quota -> quota_mb  the command"));
  CHECK(says(ran.out, "harmless: "));
  CHECK(says(read_file(report), "breaks the command"));
  CHECK(firmwares.left_over().empty());
  // The saved overlays alone break the client with the old recording.
  CHECK(says(read_file(saved), "# SYNO.Core.Share/1/get /data/quota renamed: quota -> quota_mb"));
  CHECK(firmwares.ran({"exec", firmwares.cassette("old"), "--overlay", saved}, client()).status == 1);
  CHECK(run_tapedeck({"overlay", "check", saved, firmwares.cassette("old")}).status == 0);

  write_file(firmwares.folder / "tapedeck.toml", "[private]\nkeep = [\"photos\"]\n");
  const Ran as_json =
      firmwares.forecast({"--json", "--jobs", "2", "--config", firmwares.folder / "tapedeck.toml"}, client());
  INFO(as_json.out << as_json.err);
  const json said = json::parse(as_json.out);
  CHECK(said["breaks"] == true);
  CHECK(said["complete"] == true);
  CHECK(said["exit_status"] == 3);
  REQUIRE(said["sets"].size() == 1);
  CHECK(said["sets"][0]["changes"][0]["path"] == "/data/quota");
  CHECK_FALSE(says(as_json.out, "512000"));
}

TEST_CASE("forecast: reports no breakage for a client that does not use the changes") {
  const Firmwares firmwares;
  const Ran ran = firmwares.forecast({}, shell(share + " | grep -q used_mb"));
  INFO(ran.out << ran.err);
  CHECK(ran.status == 0);
  CHECK(says(ran.out, "nothing breaks"));
  // The newer recording has calls that the older one lacks, and the same firmware has no changes at all.
  CHECK(firmwares.ran({"forecast", firmwares.cassette("old"), firmwares.cassette("old")}, client()).status == 0);
}

TEST_CASE("forecast: finds the changes for each test with parallel runs") {
  const Firmwares firmwares;
  const std::string results = firmwares.folder / "r-";
  const std::string script =
      "q=$(" + share + "); u=$(" + ask_for("SYNO.DSM.Info/2/getinfo") + "); r=" + results +
      "$TAPEDECK_RUN.xml; echo \"$q\" | grep -q '\"quota\":' && a= || a='<failure/>'; echo \"$u\" | grep -q "
      "'\"uptime\":[0-9]' "
      "&& b= || b='<failure/>'; echo \"<testsuite><testcase classname='t' name='quota'>$a</testcase>"
      "<testcase classname='t' name='uptime'>$b</testcase></testsuite>\" > $r; test -z \"$a$b\"";
  const Ran ran = firmwares.forecast({"--junit", results + "{run}.xml", "--jobs", "2"}, shell(script));
  INFO(ran.out << ran.err);
  CHECK(ran.status == 3);
  CHECK(says(ran.out, "renamed: quota -> quota_mb  t.quota"));
  CHECK(says(ran.out, "type: number -> string      t.uptime"));
  for (const auto& entry : std::filesystem::directory_iterator(firmwares.folder.path())) {
    CHECK_FALSE(entry.path().extension() == ".xml");
  }
  // One of them is enough with --most 1.
  const Ran one = firmwares.forecast({"--junit", results + "{run}.xml", "--most", "1"}, shell(script));
  CHECK(one.status == 3);
  CHECK(says(one.out, "--most was reached"));
  CHECK(firmwares.forecast({"--junit", results + "x.xml", "--jobs", "2"}, shell(script)).status == 2);
}

TEST_CASE("forecast: refuses an unreliable command, a command that fails with OLD, and wrong usage") {
  const Firmwares firmwares;
  const std::string count = firmwares.folder / "count";
  const std::string counting = "echo >> " + count + "; ";
  struct Case {
    Words command;
    int status;
    const char* says;
  };
  const std::vector<Case> cases = {
      {shell("echo broken; exit 7"), 1, "exit status 7"},
      {shell(counting + "test $(wc -l < " + count + ") -lt 2"), 1, "must pass"},
      // Passes with OLD and then randomly.
      {shell(counting + "n=$(wc -l < " + count + "); test $n -lt 3 || test $((n % 2)) = 0"), 1, "not reliable"},
      // Fails from the third run on, independently of changes.
      {shell(counting + "test $(wc -l < " + count + ") -lt 3"), 1, "not reliable"},
      {{"no-such-program-here"}, 2, "no such command"}};
  for (const Case& one : cases) {
    std::filesystem::remove(count);
    const Ran ran = firmwares.forecast({}, one.command);
    INFO(ran.out << ran.err);
    CHECK(ran.status == one.status);
    CHECK(says(ran.out + ran.err, one.says));
    CHECK(firmwares.left_over().empty());
  }
  CHECK(firmwares.ran({"forecast", firmwares.cassette("old")}, {"true"}).status == 2);
  CHECK(firmwares.forecast({"--info", "x"}, {"true"}).status == 2);
  CHECK(firmwares.forecast({"--time", "soon"}, {"true"}).status == 2);
  CHECK(run_tapedeck({"forecast", firmwares.cassette("old"), firmwares.cassette("new")}).status == 2);
  const Ran late = firmwares.forecast({"--time", "300ms"}, shell("sleep 0.2"));
  CHECK(late.status == 1);
}

TEST_CASE("forecast: a saved API.Info can replace the recording of the other firmware") {
  const Firmwares firmwares;
  const std::string info = firmwares.folder / "info.json";
  write_file(
      info,
      R"({"data":{"SYNO.API.Auth":{"minVersion":6,"maxVersion":7},"SYNO.API.Info":{"minVersion":1,"maxVersion":1},)"
      R"("SYNO.Core.Share":{"minVersion":1,"maxVersion":1}},"success":true})");
  const std::string login =
      ask_for("SYNO.API.Auth/3/login", "&account=ann&passwd=x&format=sid") + " | grep -q sid && " + share;
  const Ran ran = firmwares.ran({"forecast", firmwares.cassette("old"), "--info", info}, shell(login));
  INFO(ran.out << ran.err);
  CHECK(ran.status == 3);
  CHECK(says(ran.out, "SYNO.API.Auth"));
  CHECK(says(ran.out, "versions 1-6 -> versions 6-7"));
  write_file(info, "[]");
  CHECK(firmwares.ran({"forecast", firmwares.cassette("old"), "--info", info}, {"true"}).status == 2);
}

TEST_CASE("forecast: Ctrl-C and SIGKILL leave no process, and Ctrl-C leaves no file", "[long]") {
  const Firmwares firmwares;
  for (const int number : {SIGINT, SIGTERM, SIGKILL}) {
    CAPTURE(number);
    const std::string up = firmwares.folder / ("up" + std::to_string(number));
    // Ignores SIGTERM, and has a child that left its group.
    const std::string script = "trap '' TERM INT; (setsid sh -c 'echo $$ > " + up +
                               ".apart; exec sleep 300' &); echo $$ > " + up + "; while :; do sleep 0.1; done";
    Child child(
        Spawn{{binary(), "forecast", firmwares.cassette("old"), firmwares.cassette("new"), "--", "sh", "-c", script},
              {{"TMPDIR", firmwares.temporary()}},
              "",
              firmwares.folder / "out",
              firmwares.folder / "err"});
    REQUIRE(wait_for_file(up, child));
    REQUIRE(becomes([&] {
      return std::filesystem::exists(up + ".apart") && read_file(up).ends_with('\n') &&
             read_file(up + ".apart").ends_with('\n');
    }));
    const pid_t process = std::stoi(read_file(up)), apart = std::stoi(read_file(up + ".apart"));
    child.signal(number);
    CHECK(child.wait() == (number == SIGKILL ? 128 + SIGKILL : 1));
    CHECK(becomes([&] { return !is_running(process); }));
    if (number == SIGKILL) {
      ::kill(apart, SIGKILL);  // no other process would end it
    } else {
      CHECK(firmwares.left_over().empty());
      CHECK_FALSE(is_running(apart));
    }
  }
}

TEST_CASE("forecast: handles a command with endless output and one that leaves processes") {
  const Firmwares firmwares;
  const std::string pid = firmwares.folder / "pid";
  const Ran loud = firmwares.forecast({}, shell("head -c 100000000 /dev/zero; " + share + " | grep -q '\"quota\"'"));
  INFO(loud.out << loud.err);
  CHECK(loud.status == 3);
  CHECK(loud.out.size() < 10'000);
  const Ran forking = firmwares.forecast(
      {},
      shell("(setsid sh -c 'echo $$ > " + pid + "; exec sleep 300' &); until [ -s " + pid + " ]; do sleep 0.01; done"));
  CHECK(forking.status == 0);
  CHECK_FALSE(is_running(std::stoi(read_file(pid))));
}

TEST_CASE("capsule: three interactions reproduce the bug", "[long]") {
  if (is_missing("python3", has_program("python3"))) return;
  const Firmwares firmwares;
  const std::string out = firmwares.folder / "bug.cassette";
  const Ran ran = firmwares.capsule({"--says", "KeyError: 'quota'"}, client());
  INFO(ran.out << ran.err);
  REQUIRE(ran.status == 0);
  CHECK(says(ran.out, "bug.cassette: 3 interactions"));
  CHECK(says(ran.out, "nothing more can be left out"));
  CHECK(says(ran.out, "scan --private finds nothing"));
  CHECK(says(ran.out, "tapedeck exec " + out + " -- python3 "));
  CHECK(run_tapedeck({"scan", "--private", out}).status == 0);
  CHECK(firmwares.left_over().empty());
  std::string calls;
  for (const json& line : json::parse(run_tapedeck({"ls", "--json", out}).out))
    calls += line["key"].get<std::string>() + "\n";
  CHECK(says(calls, "SYNO.API.Auth/3/login"));
  CHECK(says(calls, "SYNO.Core.Share/1/get?name="));
  CHECK(says(calls, "SYNO.Core.Share/1/list"));
  CHECK_FALSE(says(read_file(out) + read_file(out + ".txt"), "photos"));
  const Ran again = firmwares.ran({"exec", out}, client());
  CHECK(again.status == 1);
  CHECK(says(again.err, "KeyError: 'quota'"));
  // OUT is never overwritten.
  CHECK(firmwares.capsule({"--says", "KeyError: 'quota'"}, client()).status == 2);
  std::filesystem::remove(out);
  CHECK(firmwares.capsule({"--says", "KeyError: 'quota'"}, client()).status == 2);  // the text belongs to OUT.txt
}

TEST_CASE("capsule: the failing test of a JUnit file identifies the failure") {
  const Firmwares firmwares;
  const std::string results = firmwares.folder / "r.xml";
  const std::string script =
      share + " | grep -q quota_mb && a='<failure/>' || a=; echo \"<testcase name='quota'>$a</testcase>\" > " +
      results + "; test -z \"$a\"";
  const Ran ran = firmwares.capsule({"--junit", results, "--time", "1m", "--no-private"}, shell(script));
  INFO(ran.out << ran.err);
  CHECK(ran.status == 0);
  CHECK(says(ran.out, "bug.cassette: 1 interaction,"));
  CHECK(says(ran.out, "test quota"));
  CHECK(says(ran.out, "left there by --no-private"));
}

TEST_CASE("capsule: names the private values that the failure needs, and keeps them on request", "[long]") {
  const Firmwares firmwares;
  // A client that searches for a share by its real name.
  const std::string script =
      ask_for("SYNO.Core.Share/1/list") + " | grep -q '\"projects\"' && echo 'found the share' && exit 4";
  const Words says_it = {"--says", "found the share"};
  const Ran named = firmwares.capsule(says_it, shell(script));
  INFO(named.out << named.err);
  CHECK(named.status == 1);
  CHECK(says(named.err, "\n  projects\n"));
  CHECK(says(named.err, "--keep-values"));
  CHECK_FALSE(says(named.err, "photos"));
  CHECK_FALSE(std::filesystem::exists(firmwares.folder / "bug.cassette"));
  // A configuration that keeps the name has the same effect.
  const std::string config = firmwares.folder / "tapedeck.toml";
  write_file(config, "[private]\nkeep = [\"projects\"]\n");
  const Ran configured = firmwares.capsule({"--says", "found the share", "--config", config}, shell(script));
  INFO(configured.out << configured.err);
  CHECK(configured.status == 0);
  CHECK(says(configured.out, "--config " + config));
  std::filesystem::remove(firmwares.folder / "bug.cassette");
  std::filesystem::remove(firmwares.folder / "bug.cassette.txt");
  const Ran kept = firmwares.capsule({"--says", "found the share", "--keep-values"}, shell(script));
  INFO(kept.out << kept.err);
  CHECK(kept.status == 0);
  CHECK(says(kept.out, "left there by --keep-values"));
  const std::string cassette = read_file(firmwares.folder / "bug.cassette");
  CHECK(says(cassette, "projects"));
  CHECK_FALSE(says(cassette, "photos"));
}

TEST_CASE("capsule: explains that a command cannot be reduced") {
  const Firmwares firmwares;
  const std::string count = firmwares.folder / "count";
  struct Case {
    const char* name;
    Words options, command;
    int status;
    const char* says;
  };
  const std::vector<Case> cases = {
      {"passes", {}, {"true"}, 1, "does not fail"},
      {"fails without the text", {"--says", "boom"}, {"false"}, 1, "does not contain"},
      {"fails with an empty cassette, too", {}, {"false"}, 1, "--says"},
      {"prints the text always", {"--says", "boom"}, shell("echo boom; exit 1"), 1, "choose a text"},
      {"another status each time",
       {},
       shell("echo >> " + count + "; exit $(wc -l < " + count + ")"),
       1,
       "not reliable"},
      {"no such command", {}, {"no-such-program-here"}, 2, "no such command"},
      {"no time", {"--time", "100ms"}, shell("sleep 0.3; exit 1"), 1, "--time"},
      {"excluded options", {"--no-private", "--keep-values"}, {"false"}, 2, "together"}};
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const Ran ran = firmwares.capsule(one.options, one.command);
    INFO(ran.out << ran.err);
    CHECK(ran.status == one.status);
    CHECK(says(ran.err, one.says));
    CHECK(firmwares.left_over().empty());
    CHECK_FALSE(std::filesystem::exists(firmwares.folder / "bug.cassette"));
  }
}

TEST_CASE("capsule: a full disk ends it in one line without a file") {
  const Firmwares firmwares;
  const bool is_mounted =
      ::mount("tmpfs", firmwares.temporary().c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=200k,mode=700") == 0;
  if (is_missing("mount", is_mounted)) return;
  const Ran ran = firmwares.capsule({"--no-private", "--says", "quota_mb"}, shell(share + "; exit 1"));
  INFO(ran.out << ran.err);
  CHECK(ran.status == 1);
  CHECK(says(ran.err, "cannot"));
  CHECK(firmwares.left_over().empty());
  CHECK_FALSE(std::filesystem::exists(firmwares.folder / "bug.cassette"));
  ::umount2(firmwares.temporary().c_str(), MNT_DETACH);
}

}  // namespace tapedeck::tests::firmware_cases
