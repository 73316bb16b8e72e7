// Tests options for browsers: origins, a front end beside the API, and the address of the control API.

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::browser_options_cases {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const std::string network_path = "/webapi/entry.cgi?api=SVC.Core.Network&version=1&method=get";

int count_of(const std::string& text, const std::string& word) {
  int count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST_CASE("browsers: an invalid value of --cors is explained at the start") {
  const TempDir folder;
  for (const std::string value :
       {"localhost:3000", "http://localhost:3000/", "http://app.example/app", "http://a:99999"}) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"replay"}, {"record", "--device", "http://127.0.0.1:1", folder / "c.cassette"}}) {
      CAPTURE(value, command.front());
      std::vector<std::string> line = command;
      line.insert(line.end(), {"--listen", "127.0.0.1:0", "--cors", value});
      const Ran ran = run_tapedeck(line);
      CHECK(ran.status == 2);
      CHECK(ran.err.find("--cors " + value + ": the value must ") != std::string::npos);
    }
  }
}

TEST_CASE("browsers: a page of another origin does not reach the device through the recorder") {
  const TempDir folder;
  const Device device;
  write_file(folder / "index.html", "<h1>front end</h1>");
  Server recorder(folder.path().string(), {"record", "--device", device.url(), "--serve", folder.path().string(),
                                           "--cors", "http://localhost:3000", folder / "c.cassette"});
  const std::string call = "/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=delete&name=photo";
  struct Row {
    std::string path;
    std::vector<std::string> lines;
    int status;
  };
  const std::string allowed = "Origin: http://localhost:3000", other = "Origin: http://localhost:3001";
  for (const std::string site : {"Sec-Fetch-Site: same-site", "Sec-Fetch-Site: cross-site"}) {
    for (const std::string mode : {"no-cors", "cors", "navigate", "websocket"}) {
      const std::string as = "Sec-Fetch-Mode: " + mode;
      const Row rows[] = {
          {call, {site, as}, 403},
          {call, {site, as, other}, 403},
          {"/~scope/a" + call, {site, as}, 403},
          {"//webapi/entry.cgi?method=delete", {site, as}, 403},
          {"/index.html/../webapi/entry.cgi?method=delete", {site, as}, 403},
          {"/", {site, as}, mode == "navigate" ? 200 : 403},
      };
      for (const Row& row : rows) {
        std::vector<std::string> line = {"--path-as-is", recorder.url() + row.path};
        for (const std::string& header : row.lines) line.insert(line.end(), {"-H", header});
        CAPTURE(row.path, site, mode);
        CHECK(curl(line).status == row.status);
      }
    }
  }
  CHECK(device.operations().empty());
  CHECK(curl({recorder.url() + call, "-H", "Sec-Fetch-Site: same-site", "-H", allowed}).status != 403);
  CHECK(curl({recorder.url() + call, "-H", "Sec-Fetch-Site: same-origin"}).status != 403);
  CHECK_FALSE(device.operations().empty());
  CHECK(recorder.stop() == 0);
}

TEST_CASE("browsers: refusals are counted and logged once with the option that allows them") {
  const TempDir folder;
  Server server(folder.path().string(), {"replay", "--control", "127.0.0.1:0", "--cors", "http://localhost:*"});
  const auto asked = [&](const std::string& line) { return curl({"-H", line, server.url() + network_path}).status; };
  CHECK(asked("Origin: http://localhost:5173") == 200);
  for (int i = 0; i < 3; ++i) CHECK(asked("Origin: http://app.example") == 403);
  CHECK(asked("Host: nas.example") == 403);
  const std::string ready = read_file(server.ready_file());
  const auto value = [&ready](const std::string& name) {
    const std::size_t begin = ready.find("\n" + name + "=") + name.size() + 2;
    return ready.substr(begin, ready.find('\n', begin) - begin);
  };
  const Reply counters = curl({"-H", "X-Tapedeck-Token: " + value("token"), value("control") + "/state"});
  CHECK(json::parse(counters.body)["counters"]["refused"] == 4);
  CHECK(server.stop() == 0);
  CHECK(count_of(
            server.err(),
            "refused: requests from pages of http://app.example are refused; --cors http://app.example allows them") ==
        1);
  CHECK(count_of(server.err(), "--allow-host nas.example allows it") == 1);
}

TEST_CASE("browsers: --serve returns index.html for paths of an application") {
  const TempDir folder;
  std::filesystem::create_directories(folder.path() / "www/sub");
  write_file(folder / "www/index.html", "<p>app</p>");
  write_file(folder / "www/sub/index.html", "<p>sub</p>");
  write_file(folder / "www/.env", "KEY=made-up");
  const auto open = [](const std::string& url) { return curl({"-H", "Accept: text/html,*/*;q=0.8", url}); };
  const Device device;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"replay"}, {"record", "--device", device.url(), folder / "c.cassette"}}) {
    std::vector<std::string> line = command;
    line.insert(line.end(), {"--serve", folder / "www"});
    Server server(folder.path().string(), line);
    CAPTURE(command.front());
    CHECK(open(server.url() + "/users/7").body == "<p>app</p>");
    CHECK(open(server.url() + "/sub").header("location") == "/sub/");
    CHECK(curl({"-L", server.url() + "/sub"}).body == "<p>sub</p>");
    CHECK(open(server.url() + "/.env").status == 404);
    CHECK(open(server.url() + "/gone.js").status == 404);
    CHECK(open(server.url() + network_path).body != "<p>app</p>");
    CHECK(server.stop() == 0);
  }
  const Ran ran = run_tapedeck({"exec", "--serve", folder / "www", "--", "sh", "-c",
                                "curl -s -H 'Accept: text/html' \"$TAPEDECK_URL/users/7\""});
  CHECK(ran.out == "<p>app</p>");
}

TEST_CASE("browsers: without a ready file, the log names the control API and the file of its token") {
  const TempDir folder;
  const std::string runtime = folder / "runtime";
  std::filesystem::create_directory(runtime);
  Child child(Spawn{{binary(), "replay", "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0"},
                    {{"XDG_RUNTIME_DIR", runtime}},
                    "",
                    folder / "out",
                    folder / "err"});
  const auto said = [&] { return child.err().find("the token is in " + runtime) != std::string::npos; };
  for (int i = 0; i < 1'000 && !said(); ++i) std::this_thread::sleep_for(10ms);
  REQUIRE(said());
  const std::string log = child.err();
  const std::size_t begin = log.find(runtime);
  const std::string file = log.substr(begin, log.find_first_of(" \n", begin) - begin);
  CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms::all) ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  const std::string ready = read_file(file);
  const auto value = [&ready](const std::string& name) {
    const std::size_t at = ready.find("\n" + name + "=") + name.size() + 2;
    return ready.substr(at, ready.find('\n', at) - at);
  };
  CHECK(log.find("serving the control API at " + value("control") + ";") != std::string::npos);
  CHECK(log.find(value("token")) == std::string::npos);
  CHECK(curl({"-H", "X-Tapedeck-Token: " + value("token"), value("control") + "/state"}).status == 200);
  child.signal(SIGTERM);
  CHECK(child.wait() == 0);
  CHECK(std::filesystem::is_empty(runtime));
}

}  // namespace
}  // namespace tapedeck::tests::browser_options_cases
