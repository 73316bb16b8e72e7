// Tests what a killed recorder leaves: a recording beside the cassette, which the next writing command finishes.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/e2e/leak_matrix.h"
#include "tests/support/deep_search.h"

namespace tapedeck::tests::killed_cases {

namespace {

// Invented, like all secrets here.
const std::string password = "Qm7&vertex/Lagoon=5", session_id = "kR7vQ2mZxT9pLw4BnC8dHs1FyUa3eG6j",
                  token = "Zx8Nn2Wq4Lk6Tr1Vb5", short_word = "sunshine1";

Traffic call_with(const std::string& method, const std::string& answer) {
  return {get("/webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=" + method), json_answer(answer)};
}

/// Returns traffic before the login that shows the secrets, with all of them in a place without a rule, then the login,
/// and traffic after it.
std::vector<Traffic> session() {
  const std::string target =
      "/webapi/"
      "auth.cgi?api=SYNO.API.Auth&version=6&method=login&account=ann&format=sid&passwd=Qm7%26vertex%2FLagoon%3D5";
  return {call_with("early", R"({"data":{"line":"was )" + session_id + " and " + token + " and " + password +
                                 R"("},"success":true})"),
          {get(target),
           json_answer(R"({"data":{"sid":")" + session_id + R"(","synotoken":")" + token + R"("},"success":true})")},
          call_with("set&passwd=" + short_word, R"({"data":{"word":")" + short_word + R"("},"success":true})"),
          call_with("late&_sid=" + session_id, R"({"data":{"line":")" + token + R"("},"success":true})")};
}

struct Killed {
  explicit Killed(std::vector<std::string> options = {}, std::vector<std::string> wrapper = {}) {
    std::vector<std::string> arguments = {"record", "--device", device.url(), cassette};
    arguments.insert(arguments.end(), options.begin(), options.end());
    recorder = std::make_unique<Server>(folder.path(), arguments, "127.0.0.1:0", wrapper);
  }
  void pass_all() {
    const Client client(recorder->url());
    for (const Traffic& one : session()) (void)pass(client, device, one);
  }
  /// Returns the names of the secrets that are in any file of the run.
  [[nodiscard]] std::vector<std::string> found() const {
    std::vector<std::string> where;
    (void)deep_search_files(folder.path(), {password, session_id, token}, &where);
    return where;
  }
  [[nodiscard]] std::string state() const {
    const Ran ran = run_tapedeck({"info", "--json", cassette});
    return ran.status == 0 ? nlohmann::json::parse(ran.out).at(0).at("state").get<std::string>() : ran.err;
  }

  TempDir folder;
  const std::string cassette = folder / "kept.cassette";
  ScriptedDevice device;
  std::unique_ptr<Server> recorder;
};

const std::vector<std::string> nothing;

}  // namespace

TEST_CASE("killed: the recording stays unverified until its values are given") {
  Killed killed;
  killed.pass_all();
  killed.recorder->kill();
  CHECK_FALSE(std::filesystem::exists(killed.cassette));
  CHECK(killed.state() == "unfinished");
  CHECK(ids_in(killed.cassette).size() == session().size());
  CHECK(run_tapedeck({"scrub", killed.cassette}).status == 3);
  CHECK(killed.state() == "unverified");
  const std::string values = killed.folder / "values";
  write_file(values, password + "\n" + session_id + "\n" + token + "\n" + short_word + "\n");
  CHECK(run_tapedeck({"scrub", killed.cassette, "--values", values}).status == 0);
  std::filesystem::remove(values);
  CHECK(killed.state() == "finished");
  CHECK(killed.found() == nothing);
}

TEST_CASE("killed: reading commands mention the remaining recording and change nothing") {
  Killed killed;
  killed.pass_all();
  killed.recorder->kill();
  const std::string left = killed.cassette + ".recording";
  for (const std::string command : {"ls", "info", "scan"}) {
    CAPTURE(command);
    const Ran ran = run_tapedeck({command, killed.cassette});
    CHECK(ran.status == (command == "scan" ? 3 : 0));
    CHECK(ran.err.find(left + " also exists") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(killed.cassette));
  }
  CHECK(run_tapedeck({"scan", killed.cassette}).out.find("is an unfinished recording") != std::string::npos);
}

TEST_CASE("killed: the next recorder finishes the remaining recording and adds a take") {
  Killed killed;
  killed.pass_all();
  killed.recorder->kill();
  Server next(killed.folder.path(), {"record", "--device", killed.device.url(), killed.cassette});
  CHECK(next.err().find("an earlier recorder was killed") != std::string::npos);
  (void)pass(Client(next.url()), killed.device, call_with("more", R"({"data":{},"success":true})"));
  CHECK(next.stop() == 3);
  CHECK(killed.state() == "unverified");
  CHECK(ids_in(killed.cassette).size() == session().size() + 1);
}

TEST_CASE("killed: commands that change a cassette finish the remaining recording first") {
  Killed killed;
  killed.pass_all();
  killed.recorder->kill();
  const std::string id = *ids_in(killed.cassette).begin();
  const Ran ran = run_tapedeck({"rm", killed.cassette, id});
  CHECK(ran.err.find("the recording of a killed recorder is now in") != std::string::npos);
  CHECK(ids_in(killed.cassette).size() == session().size() - 1);
  CHECK_FALSE(std::filesystem::exists(killed.cassette + ".recording"));
}

TEST_CASE("killed: port and output are free, and no process remains") {
  Killed killed;
  killed.pass_all();
  killed.recorder->kill();
  CHECK(curl({killed.recorder->url() + "/"}).exit == 7);  // connection refused
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::ifstream arguments(process.path() / "cmdline");
    const std::string line((std::istreambuf_iterator<char>(arguments)), {});
    CHECK(line.find(killed.cassette) == std::string::npos);
  }
}

TEST_CASE("killed: a recorder killed within its first second leaves a cassette that is complete for its mode") {
  for (const bool is_there : {false, true}) {
    CAPTURE(is_there);
    const TempDir folder;
    const std::string cassette = folder / "c.cassette";
    ScriptedDevice device;
    if (is_there) {
      Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
      (void)pass(Client(recorder.url()), device, call_with("list", R"({"data":{},"success":true})"));
      REQUIRE(recorder.stop() == 0);
    }
    Server recorder(folder.path(), {"record", "--mode", "new", "--device", device.url(), cassette});
    (void)pass(Client(recorder.url()), device, call_with("get", R"({"data":{},"success":true})"));
    recorder.kill();
    CHECK(ids_in(cassette).size() == (is_there ? 2 : 1));
    CHECK(run_tapedeck({"scrub", cassette}).status == 3);
    CHECK(ids_in(cassette).size() == (is_there ? 2 : 1));
    for (const char* const left : {".recording", ".failed", ".finishing"}) {
      CHECK_FALSE(std::filesystem::exists(cassette + left));
    }
  }
}

TEST_CASE("killed: the recording of exec becomes the failed one, because the command's result is unknown") {
  const TempDir folder;
  const std::string cassette = folder / "c.cassette";
  ScriptedDevice device;
  device.answer_with(json_answer(R"({"data":{},"success":true})"));
  const std::string ready = folder / "ready", asked = folder / "asked";
  Child exec({{binary(), "exec", "--mode", "all", "--device", device.url(), "--ready-file", ready, cassette, "--", "sh",
               "-c", "curl -s \"$TAPEDECK_URL" + call_target + "\" >/dev/null; : >" + asked + "; exec sleep 60"},
              {},
              "",
              folder / "out",
              folder / "err"});
  REQUIRE(wait_for_file(asked, exec));
  exec.signal(SIGKILL);
  CHECK(exec.wait() == 128 + SIGKILL);
  CHECK_FALSE(std::filesystem::exists(cassette));
  CHECK(run_tapedeck({"scrub", cassette}).status == 3);
  CHECK_FALSE(std::filesystem::exists(cassette));
  CHECK(ids_in(cassette + ".failed").size() == 1);
}

}  // namespace tapedeck::tests::killed_cases
