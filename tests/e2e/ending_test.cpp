// Tests what ends a server or a command, and what remains afterwards.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::ending_cases {

namespace {

const char* const network_call = "/webapi/entry.cgi?api=SYNO.Core.Network&version=1&method=get&_sid=any";

pid_t process_in(const std::string& file) { return static_cast<pid_t>(std::atoi(read_file(file).c_str())); }

std::string quoted_words(const std::vector<std::string>& all) {
  std::string line;
  for (const std::string& word : all) line += " '" + word + "'";
  return line;
}

std::size_t count_files(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

}  // namespace

TEST_CASE(
    "ending: a server ends in order with the process that started it, killed or not, and a recording is finished") {
  const Device device;
  const std::vector<std::string> recording = {"--device", device.url()};
  struct Row {
    std::vector<std::string> command;
    const char* option;
  };
  const Row rows[] = {{{"replay"}, "--exit-with-stdin"},
                      {{"record"}, "--exit-with-stdin"},
                      {{"record", "--mode", "new"}, "--exit-with-stdin"},
                      {{"record", "--mode", "once"}, "--exit-with-stdin"}};
  for (const Row& row : rows) {
    CAPTURE(row.command, row.option);
    const TempDir folder, tapes;
    const bool records = row.command.front() == "record";
    std::vector<std::string> line = {binary()};
    line.insert(line.end(), row.command.begin(), row.command.end());
    line.insert(line.end(), {"--listen", "127.0.0.1:0", "--ready-file", folder / "ready", row.option});
    if (records) line.insert(line.end(), {"--device", device.url(), tapes / "a.cassette"});
    // Only the shell has the other end of the pipe.
    Child parent(
        Spawn{{"sh", "-c", "mkfifo input\n" + quoted_words(line) + " <input & echo $! >server\nexec 9>input\nwait"},
              {},
              folder.path().string(),
              folder / "out",
              folder / "err"});
    REQUIRE(wait_for_file(folder / "ready", parent));
    const std::string ready = read_file(folder / "ready");
    CHECK(curl({ready.substr(0, ready.find('\n')) + network_call}).status == 200);
    parent.signal(SIGKILL);
    CHECK(parent.wait() == 128 + SIGKILL);
    CHECK(wait_for_end_of(process_in(folder / "server")));
    CHECK_FALSE(std::filesystem::exists(folder / "ready"));
    if (records) CHECK(ids_in(tapes / "a.cassette").size() == 1);
    CHECK(count_files(tapes.path()) == (records ? 1 : 0));
  }
}

TEST_CASE("ending: SIGHUP ends a server in order unless it was ignored at the start") {
  const Device device;
  const TempDir folder;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"replay"}, {"record", "--device", device.url(), folder / "a.cassette"}}) {
    CAPTURE(command);
    Server server(folder.path(), command);
    CHECK(server.stop(SIGHUP) == 0);
    CHECK_FALSE(std::filesystem::exists(server.ready_file()));
  }
  Server kept(folder.path(), {"replay"}, "127.0.0.1:0", {"nohup"});
  kept.child().signal(SIGHUP);
  CHECK_FALSE(kept.child().wait(milliseconds(300)));
  CHECK(curl({kept.url() + network_call}).status == 200);
}

TEST_CASE("ending: killing exec ends its command and the processes in its group") {
  const TempDir folder;
  Child child(Spawn{{binary(), "exec", "--", "sh", "-c",
                     "sleep 300 & echo $! >" + folder / "grandchild" + "\necho $$ >" + folder / "part" + "\nmv " +
                         folder / "part" + " " + folder / "command" + "\nwait"},
                    {},
                    "",
                    folder / "out",
                    folder / "err"});
  REQUIRE(wait_for_file(folder / "command", child));
  child.signal(SIGKILL);
  CHECK(child.wait() == 128 + SIGKILL);
  for (const char* const name : {"command", "grandchild"}) {
    CAPTURE(name);
    const pid_t process = process_in(folder / name);
    REQUIRE(process > 0);
    CHECK(wait_for_end_of(process));
  }
}

TEST_CASE("ending: exec passes the cassettes' paths and NO_PROXY for loopback to its command") {
  const TempDir folder;
  const Device device;
  record(folder.path().string(), device, folder / "a.cassette",
         [](const std::string& url) { CHECK(curl({url + network_call}).status == 200); });
  const std::pair<const char*, const char*> rows[] = {
      {"", "127.0.0.1,localhost,::1"}, {"nas.example", "nas.example,127.0.0.1,localhost,::1"}, {"*", "*"}};
  for (const auto& [before, value] : rows) {
    CAPTURE(before);
    const Ran ran = run({"sh", "-c",
                         "cd " + folder.path().string() + " && exec " + binary() +
                             " exec a.cassette -- sh -c 'echo \"$NO_PROXY $no_proxy $TAPEDECK_CASSETTES\"'"},
                        milliseconds(30000), {{"NO_PROXY", before}, {"no_proxy", before}});
    const std::string path = std::filesystem::canonical(folder.path()).string() + "/a.cassette";
    CHECK(ran.out == std::string(value) + " " + value + " " + path + "\n");
  }
}

TEST_CASE("ending: an empty recording creates no cassette and reports it") {
  const Device device;
  for (const char* const mode : {"all", "new", "once"}) {
    CAPTURE(mode);
    const TempDir folder, tapes;
    Server recorder(folder.path(), {"record", "--mode", mode, "--device", device.url(), tapes / "a.cassette"});
    CHECK(recorder.stop() == 0);
    CHECK(recorder.err().find("nothing was recorded") != std::string::npos);
    CHECK(count_files(tapes.path()) == 0);
  }
}

TEST_CASE("ending: --rerecord with * records every matching scope again and no other") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette";
  const auto ask = [](const std::string& url) {
    for (const char* const scope : {"a.py::one[1]", "a.py::one[2]", "b.py::one"}) {
      CHECK(curl({"-H", std::string("X-Tapedeck-Scope: ") + scope, url + network_call}).status == 200);
    }
  };
  record(folder.path().string(), device, cassette, ask);
  const std::pair<const char*, unsigned> rows[] = {{"none*", 0}, {"a.py::*", 2},      {"*", 3},
                                                   {"*[2]", 1},  {"a.py::one[1]", 1}, {"a.py::one[?]", 0}};
  for (const auto& [pattern, asked] : rows) {
    CAPTURE(pattern);
    const unsigned before = count(device, "Core.Network/get");
    record(folder.path().string(), device, cassette, ask, {"--mode", "new", "--rerecord", pattern});
    CHECK(count(device, "Core.Network/get") - before == asked);
  }
  CHECK(ids_in(cassette).size() == 10);  // earlier takes stay in the file
}

}  // namespace tapedeck::tests::ending_cases
