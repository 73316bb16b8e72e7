// The keeper: a recorder that is killed leaves a finished cassette all the same, and nothing that it knew on the disk.

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/e2e/leak_matrix.h"
#include "tests/support/deep_search.h"
#include "tests/support/needs.h"

namespace tapedeck::tests {

namespace {

// Made up, as all secrets here.
const std::string password = "Qm7&vertex/Lagoon=5", session_id = "kR7vQ2mZxT9pLw4BnC8dHs1FyUa3eG6j",
                  token = "Zx8Nn2Wq4Lk6Tr1Vb5", short_word = "sunshine1";

Traffic call_with(const std::string& method, const std::string& answer) {
  return {get("/webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=" + method), json_answer(answer)};
}

/// Before the login shows what is secret, with all of it in a place that no rule knows; the login; and after it.
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
  /// Names of the secrets that any file of the run has.
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

/// Waits for a text in what a child says.
bool says(const Child& child, const std::string& text) {
  for (int i = 0; i < 3000; ++i) {
    if (child.err().find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE("keeper: what a recorder leaves that is killed alone is what it would have finished itself") {
  Killed ended, killed;
  ended.pass_all();
  killed.pass_all();
  CHECK(ended.recorder->stop() == 0);
  CHECK(killed.recorder->keeper() > 0);
  CHECK(killed.recorder->kill_alone());
  CHECK(killed.state() == "finished");
  CHECK(killed.found() == nothing);
  CHECK(run_tapedeck({"scrub", killed.cassette}).status == 0);
  CHECK(run_tapedeck({"scan", killed.cassette}).status == 0);
  CHECK(hash_of(killed.cassette) == hash_of(ended.cassette));
  // Rows, too: whose value stood in the early answer is not forgotten.
  CHECK(run_tapedeck({"export", "--text", killed.cassette}).out ==
        run_tapedeck({"export", "--text", ended.cassette}).out);
  for (const auto& entry : std::filesystem::directory_iterator(killed.folder.path())) {
    CHECK_FALSE(entry.path().filename().string().starts_with("kept.cassette-"));
    struct stat status {};
    if (entry.path() == killed.cassette && stat(entry.path().c_str(), &status) == 0) {
      CHECK((status.st_mode & 0777) == 0600);
    }
  }
}

TEST_CASE("keeper: it survives signals and the recorder's process group, and holds neither output nor port") {
  Killed killed({}, {"setsid"});
  killed.pass_all();
  const pid_t group = killed.recorder->child().pid(), keeper = killed.recorder->keeper();
  REQUIRE(getpgid(group) == group);
  CHECK(getsid(keeper) != getsid(group));
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) REQUIRE(kill(keeper, signal) == 0);
  REQUIRE(kill(keeper, SIGSTOP) == 0);
  REQUIRE(kill(-group, SIGKILL) == 0);
  CHECK(killed.recorder->child().wait() == 128 + SIGKILL);
  CHECK(curl({killed.recorder->url() + "/"}).exit == 7);  // connection refused
  CHECK(run_tapedeck({"info", "--json", killed.folder / "none"}).status == 2);
  REQUIRE(kill(keeper, SIGCONT) == 0);
  CHECK(wait_for_end_of(keeper));
  CHECK(killed.state() == "finished");
  CHECK(killed.found() == nothing);
}

TEST_CASE("keeper: whoever waits for the end of the recorder's output does not wait for the keeper") {
  const TempDir folder;
  const ScriptedDevice device;
  const std::string ready = folder / "ready";
  const std::string pid = folder / "pid";
  // The shell ends when `cat` has read to the end of the pipe.
  Child shell(
      {{"sh", "-c",
        "{ \"$0\" record --device \"$1\" --listen 127.0.0.1:0 --ready-file \"$2\" \"$3\" & echo $! >\"$4\"; wait; }"
        " 2>&1 | cat",
        binary(), device.url(), ready, folder / "c.cassette", pid},
       {},
       "",
       folder / "out",
       folder / "err"});
  REQUIRE(wait_for_file(ready, shell));
  const pid_t keeper = keeper_in(read_file(ready));
  REQUIRE(keeper > 0);
  REQUIRE(kill(keeper, SIGSTOP) == 0);
  REQUIRE(kill(std::stoi(read_file(pid)), SIGKILL) == 0);
  CHECK(shell.wait().has_value());
  REQUIRE(kill(keeper, SIGCONT) == 0);
  CHECK(wait_for_end_of(keeper));
}

TEST_CASE("keeper: killed with its recorder, the recording stays unverified until its values are given") {
  Killed killed;
  killed.pass_all();
  killed.recorder->kill_with_keeper();
  CHECK(killed.state() == "unfinished");
  CHECK(run_tapedeck({"scrub", killed.cassette}).status == 3);
  CHECK(killed.state() == "unverified");
  const std::string values = killed.folder / "values";
  write_file(values, password + "\n" + session_id + "\n" + token + "\n" + short_word + "\n");
  CHECK(run_tapedeck({"scrub", killed.cassette, "--values", values}).status == 0);
  std::filesystem::remove(values);
  CHECK(killed.state() == "finished");
  CHECK(killed.found() == nothing);
}

TEST_CASE("keeper: a recorder whose keeper dies says so, goes on, and finishes its cassette itself") {
  for (const bool is_killed : {false, true}) {
    Killed one;
    REQUIRE(kill(one.recorder->keeper(), SIGKILL) == 0);
    CHECK(says(one.recorder->child(), "the keeper has gone"));
    one.pass_all();
    if (is_killed) {
      CHECK(one.recorder->stop(SIGKILL) == 128 + SIGKILL);
      CHECK(one.state() == "unfinished");
    } else {
      CHECK(one.recorder->stop() == 0);
      CHECK(one.state() == "finished");
      CHECK(one.found() == nothing);
    }
  }
}

TEST_CASE("keeper: it goes with a recorder that ends") {
  Killed ended;
  ended.pass_all();
  CHECK(ended.recorder->stop() == 0);
  CHECK(wait_for_end_of(ended.recorder->keeper()));
  CHECK(run_tapedeck({"scrub", ended.cassette}).status == 0);
}

TEST_CASE("keeper: other commands wait for it and say so") {
  const std::vector<std::vector<std::string>> commands = {{"ls"}, {"scrub"}, {"scan"}, {"info"}};
  for (const auto& command : commands) {
    CAPTURE(command.front());
    Killed killed;
    killed.pass_all();
    const pid_t keeper = killed.recorder->keeper();
    REQUIRE(kill(keeper, SIGSTOP) == 0);
    CHECK(killed.recorder->stop(SIGKILL) == 128 + SIGKILL);
    const TempDir said;
    Child waiting({{binary(), command.front(), killed.cassette}, {}, "", said / "out", said / "err"});
    CHECK(says(waiting, "waiting for " + killed.cassette));
    CHECK_FALSE(waiting.wait(milliseconds(0)).has_value());
    REQUIRE(kill(keeper, SIGCONT) == 0);
    CHECK(waiting.wait(milliseconds(60'000)) == 0);
    CHECK(waiting.err().find("unverified") == std::string::npos);
    CHECK(killed.state() == "finished");
  }
}

TEST_CASE("keeper: the next recorder waits for it, and adds a take to a verified cassette") {
  Killed killed;
  killed.pass_all();
  const pid_t keeper = killed.recorder->keeper();
  REQUIRE(kill(keeper, SIGSTOP) == 0);
  CHECK(killed.recorder->stop(SIGKILL) == 128 + SIGKILL);
  const std::jthread later([keeper] {
    std::this_thread::sleep_for(milliseconds(300));
    kill(keeper, SIGCONT);
  });
  Server next(killed.folder.path(), {"record", "--device", killed.device.url(), killed.cassette});
  CHECK(next.err().find("waiting for " + killed.cassette) != std::string::npos);
  (void)pass(Client(next.url()), killed.device, call_with("more", R"({"data":{},"success":true})"));
  CHECK(next.stop() == 0);
  CHECK(killed.state() == "finished");
  CHECK(ids_in(killed.cassette).size() == session().size() + 1);
}

TEST_CASE("keeper: the journal is cleaned, and the private key kept, as at a recorder's own end") {
  const std::string owner = "Wilhelmina Kestrel";
  std::map<bool, std::string> keys;
  for (const bool is_killed : {false, true}) {
    CAPTURE(is_killed);
    Killed one;
    const std::string journal = one.folder / "journal", key = one.folder / "share.key";
    one.recorder->stop();
    one.recorder = std::make_unique<Server>(
        one.folder.path(), std::vector<std::string>{"record", "--device", one.device.url(), one.cassette, "--journal",
                                                    journal, "--private-key", key});
    const Client client(one.recorder->url());
    // In the key before it is known, and so in the journal.
    (void)pass(client, one.device, call_with("early&note=" + session_id, R"({"data":{},"success":true})"));
    one.pass_all();
    (void)pass(client, one.device, call_with("who", R"({"data":{"text":"by )" + owner + R"("},"success":true})"));
    (void)pass(
        client, one.device,
        {get("/webapi/entry.cgi?api=SYNO.Core.User&version=1&method=list"),
         json_answer(R"({"data":{"users":[{"name":"kestrel9","fullname":")" + owner + R"("}]},"success":true})")});
    std::this_thread::sleep_for(milliseconds(200));  // the journal's own thread writes it
    if (is_killed) {
      CHECK(one.recorder->kill_alone());
    } else {
      CHECK(one.recorder->stop() == 0);
    }
    CHECK(one.state() == "finished");
    CHECK(read_file(journal).find("SYNO.Test.Place/1/early") != std::string::npos);
    std::filesystem::rename(key, one.folder / "../kept.key" + std::to_string(getpid()));
    const std::string kept = one.folder / "../kept.key" + std::to_string(getpid());
    CHECK(one.found() == nothing);
    std::vector<std::string> where;
    (void)deep_search_files(one.folder.path(), {owner}, &where);
    CHECK(where == nothing);
    CHECK(read_file(kept).find("Wilhelmina%20Kestrel") != std::string::npos);
    CHECK(run_tapedeck({"scan", "--private", one.cassette}).status == 0);
    std::filesystem::remove(kept);
  }
}

TEST_CASE("keeper: a completed cassette takes its place when the recorder was killed, and so does one that is new") {
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
    REQUIRE(recorder.keeper() > 0);
    (void)pass(Client(recorder.url()), device, call_with("get", R"({"data":{},"success":true})"));
    CHECK(recorder.kill_alone());
    CHECK(ids_in(cassette).size() == (is_there ? 2 : 1));
    CHECK(run_tapedeck({"scrub", cassette}).status == 0);
    for (const char* const left : {".recording", ".failed", ".finishing"}) {
      CHECK_FALSE(std::filesystem::exists(cassette + left));
    }
  }
}

TEST_CASE("keeper: of exec what was recorded becomes a whole file beside the cassette, for nobody knows how it ended") {
  const TempDir folder;
  const std::string cassette = folder / "c.cassette";
  ScriptedDevice device;
  device.answer_with(json_answer(R"({"data":{},"success":true})"));
  const std::string ready = folder / "ready", asked = folder / "asked";
  Child exec({{binary(), "exec", "--record", "all", "--device", device.url(), "--ready-file", ready, cassette, "--",
               "sh", "-c", "curl -s \"$TAPEDECK_URL" + call_target + "\" >/dev/null; : >" + asked + "; exec sleep 60"},
              {},
              "",
              folder / "out",
              folder / "err"});
  REQUIRE(wait_for_file(asked, exec));
  const pid_t keeper = keeper_in(read_file(ready));
  REQUIRE(keeper > 0);
  exec.signal(SIGKILL);
  CHECK(exec.wait() == 128 + SIGKILL);
  CHECK(wait_for_end_of(keeper));
  CHECK_FALSE(std::filesystem::exists(cassette));
  CHECK(ids_in(cassette + ".failed").size() == 1);
  CHECK(run_tapedeck({"scrub", cassette + ".failed"}).status == 0);
}

TEST_CASE("keeper: what the leak scan suspects goes into quarantine under --strict-scan, as at a recorder's own end") {
  const auto record_note = [](Killed& run) {
    const Client client(run.recorder->url());
    const std::string note = "a note: access_token = nB4kW8sYp2LmQx7RvT3cZd";
    (void)pass(client, run.device,
               {get("/webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=note"),
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(note.size()) +
                    "\r\n\r\n" + note});
  };
  const auto files_of = [](const Killed& run) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(run.folder.path())) {
      if (entry.path().filename().string().starts_with("kept.")) names.insert(entry.path().filename());
    }
    return names;
  };
  Killed ended({"--strict-scan"}), killed({"--strict-scan"});
  record_note(ended);
  record_note(killed);
  CHECK(ended.recorder->stop() == 3);
  REQUIRE(killed.recorder->kill_alone());
  CHECK(files_of(killed) == std::set<std::string>{"kept.cassette.quarantined"});
  CHECK(files_of(killed) == files_of(ended));
  const auto judged = [](const Killed& run, const char* command) {
    return run_tapedeck({command, run.folder / "kept.cassette.quarantined"}).status;
  };
  CHECK(judged(killed, "scan") == 3);
  CHECK(judged(killed, "scrub") == judged(ended, "scrub"));
}

TEST_CASE("keeper: where it cannot finish, on a full disk, what was recorded stays and its lock is free") {
  const TempDir folder, disk;
  const bool is_mounted = ::mount("tmpfs", disk.path().c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=2m,mode=700") == 0;
  if (is_missing("mount", is_mounted)) return;
  const std::string cassette = disk / "c.cassette", filler = disk / "filler";
  ScriptedDevice device;
  Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
  for (const Traffic& one : session()) (void)pass(Client(recorder.url()), device, one);
  write_file(filler, std::string(3'000'000, 'f'));
  CHECK(recorder.kill_alone());
  std::filesystem::remove(filler);
  CHECK(ids_in(cassette).size() == session().size());
  CHECK(run_tapedeck({"scrub", cassette}).status == 3);
  CHECK_FALSE(std::filesystem::exists(cassette + ".finishing"));
  ::umount2(disk.path().c_str(), MNT_DETACH);
}

}  // namespace tapedeck::tests
