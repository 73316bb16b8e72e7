#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "inspector/guard.h"
#include "proxy/recording_scopes.h"
#include "tests/http/raw_socket.h"
#include "tests/inspector/control_fixture.h"
#include "tests/support/needs.h"
#include "tests/support/test_paths.h"

namespace tapedeck::inspector {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

std::string file_text(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::uint64_t> numbers(const json& page) {
  std::vector<std::uint64_t> all;
  for (const json& entry : page["entries"]) all.push_back(entry["number"].get<std::uint64_t>());
  return all;
}

}  // namespace

TEST_CASE("control: accepts every way to send the token and every name of this machine") {
  const Controlled controlled;
  const std::string port = ":" + std::to_string(controlled.server->port());
  const std::string token = controlled.server->token();
  const std::string rows[] = {
      "Host: 127.0.0.1" + port + "\r\nX-Tapedeck-Token: " + token,
      "Host: localhost" + port + "\r\nAuthorization: Bearer " + token,
      "Host: [::1]" + port + "\r\nauthorization: bearer " + token,
      "Host: 127.0.0.9" + port + "\r\nx-tapedeck-token: " + token,
      "Host: 127.0.0.1" + port + "\r\nSec-Fetch-Site: none\r\nX-Tapedeck-Token: " + token,
  };
  for (const std::string& row : rows) {
    INFO(row);
    const Said said = send_bytes(controlled.server->port(), "GET /state HTTP/1.1\r\n" + row + "\r\n\r\n");
    CHECK(said.status == 200);
    CHECK(said.head.find("Content-Type: application/json") != std::string::npos);
    CHECK(said.head.find("Connection: close") != std::string::npos);
    CHECK(said.json()["command"] == "replay");
  }
}

TEST_CASE("control: tokens are long and unique, and are compared as a whole") {
  const Controlled controlled, another;
  const std::string token = controlled.server->token();
  CHECK(token.size() == 64);
  CHECK(token != another.server->token());
  CHECK(same_token(token, token));
  CHECK_FALSE(same_token("", ""));
  CHECK_FALSE(same_token(token.substr(1), token));
  std::string other = token;
  other.back() = other.back() == '0' ? '1' : '0';
  CHECK_FALSE(same_token(other, token));
}

TEST_CASE("control: listens only on loopback and not on a port in use") {
  Controlled controlled;
  Subject subject{"replay",
                  "",
                  &controlled.journal,
                  controlled.handler.get(),
                  [] { return std::vector<std::pair<std::string, std::uint64_t>>{}; },
                  {}};
  CHECK_THROWS_AS(ControlServer({"0.0.0.0", 0}, subject), std::invalid_argument);
  CHECK_THROWS_AS(ControlServer({"192.0.2.1", 0}, subject), std::invalid_argument);
  CHECK_THROWS_AS(ControlServer({"127.0.0.1", controlled.server->port()}, subject), std::runtime_error);
  const ControlServer second({"localhost", 0}, subject);
  CHECK(second.port() != 0);
}

TEST_CASE("control: pages and filters the journal") {
  const Controlled controlled;
  for (int i = 0; i < 3; ++i) {
    controlled.ask("SVC.Core.A/1/get");
    controlled.ask("SVC.Core.B/1/get", "another-client-here");
    controlled.ask("SVC.Core.Nothing/1/get");
  }
  json page = controlled.get("/journal").json();
  CHECK(numbers(page).size() == 9);
  CHECK(page["total"] == 9);
  CHECK(page["next"] == 10);
  CHECK(page["entries"][0]["key"] == "SVC.Core.A/1/get");
  page = controlled.get("/journal?limit=4&from=3").json();
  CHECK(numbers(page) == std::vector<std::uint64_t>{3, 4, 5, 6});
  CHECK(page["next"] == 7);
  page = controlled.get("/journal?outcome=miss&limit=2").json();
  CHECK(numbers(page) == std::vector<std::uint64_t>{3, 6});
  CHECK(numbers(controlled.get("/journal?outcome=miss&from=" + page["next"].dump()).json()) ==
        std::vector<std::uint64_t>{9});
  CHECK(numbers(controlled.get("/journal?api=Core.B").json()) == std::vector<std::uint64_t>{2, 5, 8});
  CHECK(numbers(controlled.get("/journal?api=SVC.Core.B&method=get&session=session%202").json()).size() == 3);
  CHECK(numbers(controlled.get("/journal?session=session+9").json()).empty());
  for (const char* target : {"/journal?limit=0", "/journal?limit=1001", "/journal?limit=x", "/journal?from=-1",
                             "/journal?nothing=1", "/journal?limit=1&limit=1", "/state?x", "/scope?token=1"}) {
    INFO(target);
    CHECK(controlled.get(target).status == 400);
  }
}

TEST_CASE("control: a page of a full journal contains its first number") {
  const Controlled controlled(5);
  for (int i = 0; i < 8; ++i) controlled.ask("SVC.Core.A/1/get");
  const json page = controlled.get("/journal").json();
  CHECK(page["oldest"] == 4);
  CHECK(numbers(page) == std::vector<std::uint64_t>{4, 5, 6, 7, 8});
}

TEST_CASE("control: returns counters and unused recordings") {
  const Controlled controlled;
  controlled.ask("SVC.Core.B/1/get");
  controlled.ask("SVC.Core.Nothing/1/get");
  const json counters = controlled.get("/state").json();
  CHECK(counters["counters"]["recorded"] == 1);
  CHECK(counters["counters"]["miss"] == 1);
  json unused = controlled.get("/unused").json();
  REQUIRE(unused["sequences"].size() == 1);
  CHECK(unused["sequences"][0]["key"] == "SVC.Core.A/1/get");
  CHECK(unused["sequences"][0]["recordings"] == 1);
  CHECK(controlled.get("/unused?from=1").json()["sequences"].empty());
}

TEST_CASE("control: pages of unused recordings continue where the last one ended") {
  const Controlled controlled;
  const json first = controlled.get("/unused?limit=1").json();
  REQUIRE(first["sequences"].size() == 1);
  CHECK(first["next"] == 1);
  const json second = controlled.get("/unused?limit=1&from=1").json();
  REQUIRE(second["sequences"].size() == 1);
  CHECK(second["sequences"] != first["sequences"]);
  CHECK_FALSE(second.contains("next"));
}

TEST_CASE("control: lists, resets, and drops sessions by name") {
  const Controlled controlled;
  const auto answer = [&controlled] {
    return replay::call(*controlled.handler, "SVC.Core.B/1/get?_sid=a-client-of-the-test").body.substr(8, 1);
  };
  CHECK(answer() == "1");
  CHECK(answer() == "2");
  json sessions = controlled.get("/sessions").json();
  CHECK(sessions["total"] == 1);
  CHECK(sessions["sessions"][0]["name"] == "session 1");
  CHECK(sessions["sessions"][0]["kind"] == "adopted");
  CHECK(controlled.get("/sessions").body.find("a-client-of-the-test") == std::string::npos);
  CHECK(controlled.post("/sessions/reset", R"({"name":"session 1"})").status == 200);
  CHECK(answer() == "1");
  CHECK(controlled.post("/sessions/reset", R"({"all":true})").status == 200);
  CHECK(answer() == "1");
  CHECK(controlled.post("/sessions/drop", R"({"name":"session 1"})").status == 200);
  CHECK(controlled.get("/sessions").json()["total"] == 0);
  CHECK(controlled.post("/sessions/drop", R"({"name":"session 1"})").status == 404);
  CHECK(answer() == "1");
  CHECK(controlled.get("/sessions").json()["sessions"][0]["name"] == "session 2");
}

TEST_CASE("control: repeats and lists scopes") {
  const Controlled controlled;
  const auto answer = [&controlled](const std::string& before = {}) {
    const std::string target = before + testing::target_of("SVC.Core.B/1/get", "a-client-of-the-test");
    return replay::get(*controlled.handler, target).body.substr(8, 1);
  };
  CHECK(controlled.get("/scope").json() == json({{"runs", json::array()}}));
  CHECK(answer() == "1");
  CHECK(answer("/~scope/login%20fails") == "1");
  CHECK(controlled.get("/scope").json() == json({{"runs", json::array({"login fails"})}}));
  CHECK(controlled.post("/scope/runs", R"({"name":"login fails"})").json() ==
        json({{"name", "login fails#2"}, {"run", 2}}));
  CHECK(answer("/~scope/login%20fails;2") == "1");
  CHECK(answer("/~scope/login%20fails;2") == "2");
  CHECK(answer() == "2");

  CHECK(controlled.get("/journal?scope=login%20fails%232").json()["entries"].size() == 2);
  CHECK(controlled.post("/assert", R"({"match":{"scope":"login fails#2"},"count":2})").json()["holds"] == true);
  CHECK(controlled.get("/sessions").json()["sessions"].back()["scope"] == "login fails#2");
  CHECK(controlled.post("/sessions/reset", R"({"name":"login fails#2"})").status == 200);
  CHECK(answer("/~scope/login%20fails;2") == "1");
  CHECK(controlled.post("/sessions/drop", R"({"name":"login fails#2"})").status == 200);
  CHECK(controlled.get("/scope").json()["runs"] == json::array({"login fails"}));
  for (const char* const bad :
       {R"({"name":"a#0"})", R"({"name":"a%"})", R"({"name":""})", R"({"name":5})", "{}", R"({"name":"a"})"}) {
    CAPTURE(bad);
    CHECK(controlled.post("/scope", bad).status == 400);
    if (bad != std::string_view(R"({"name":"a"})")) CHECK(controlled.post("/scope/runs", bad).status == 400);
  }
  CHECK(controlled.post("/scope/runs", R"({"name":"a#2"})").status == 400);
}

TEST_CASE("control: an assert checks the number and the order of calls") {
  const Controlled controlled;
  controlled.ask("SVC.Core.A/1/get");
  controlled.ask("SVC.Core.B/1/get");
  controlled.ask("SVC.Core.A/1/get");
  controlled.ask("SVC.Core.Nothing/1/get");
  struct Row {
    const char* body;
    bool holds;
  };
  const Row rows[] = {
      {R"({"match":{"api":"Core.A"},"count":2})", true},
      {R"({"match":{"api":"Core.A"},"count":1})", false},
      {R"({"match":{"api":"SVC.Core.A","method":"get"},"at_least":2})", true},
      {R"({"match":{"api":"Core.A"},"at_least":3})", false},
      {R"({"match":{"api":"Core.A"},"at_most":2})", true},
      {R"({"match":{"api":"Core.A"},"at_most":1})", false},
      {R"({"match":{"outcome":"fallback"},"never":true})", true},
      {R"({"match":{"outcome":"miss"},"never":true})", false},
      {R"({"match":{"outcome":"miss"},"never":true,"from":5})", true},
      {R"({"match":{"api":"Core.A"},"count":1,"from":2})", true},
      {R"({"match":{"session":"session 1"},"count":4})", true},
      {R"({"match":{"status":200,"code":0},"count":3})", true},
      {R"({"match":{"key":"SVC.Core.B/1/get","verb":"GET","version":"1"},"count":1})", true},
      {R"({"order":[{"api":"Core.A"},{"api":"Core.B"},{"api":"Core.A"}]})", true},
      {R"({"order":[{"api":"Core.B"},{"api":"Core.A"}]})", true},
      {R"({"order":[{"api":"Core.B"},{"api":"Core.B"}]})", false},
      {R"({"order":[{"outcome":"miss"},{"api":"Core.A"}]})", false},
  };
  for (const Row& row : rows) {
    INFO(row.body);
    const Said said = controlled.post("/assert", row.body);
    REQUIRE(said.status == 200);
    CHECK(said.json()["holds"] == row.holds);
  }
  const json order = controlled.post("/assert", R"({"order":[{"api":"Core.B"},{"api":"Core.A"}]})").json();
  CHECK(order["numbers"] == json({2, 3}));
}

TEST_CASE("control: rejects meaningless asserts") {
  const Controlled controlled;
  const char* const rows[] = {
      R"({})",
      R"({"match":{"api":"A"}})",
      R"({"match":{},"count":1})",
      R"({"match":{"apis":"A"},"count":1})",
      R"({"match":{"api":1},"count":1})",
      R"({"match":[],"count":1})",
      R"({"match":{"api":"A"},"count":1,"at_least":1})",
      R"({"match":{"api":"A"},"count":-1})",
      R"({"match":{"api":"A"},"count":1.5})",
      R"({"match":{"api":"A"},"never":false})",
      R"({"match":{"api":"A"},"never":true,"at_most":3})",
      R"({"match":{"api":"A"},"never":true,"within_ms":10})",
      R"({"match":{"api":"A"},"count":1,"within_ms":60001})",
      R"({"order":[]})",
      R"({"order":{}})",
      R"({"order":[{"api":"A"}],"match":{"api":"A"}})",
      R"({"order":[{"api":"A"}],"count":1})",
      R"({"order":[7]})",
  };
  for (const char* row : rows) {
    INFO(row);
    const Said said = controlled.post("/assert", row);
    CHECK(said.status == 400);
    CHECK_FALSE(said.json()["error"].get<std::string>().empty());
  }
}

TEST_CASE("control: reports that an assert depends on lost entries") {
  const Controlled controlled(3);
  for (int i = 0; i < 5; ++i) controlled.ask("SVC.Core.A/1/get");
  CHECK(controlled.post("/assert", R"({"match":{"api":"Core.A"},"count":5})").status == 409);
  CHECK(controlled.post("/assert", R"({"match":{"api":"Core.B"},"never":true})").status == 409);
  CHECK(controlled.post("/assert", R"({"match":{"api":"Core.A"},"at_least":2})").json()["holds"] == true);
  CHECK(controlled.post("/assert", R"({"match":{"api":"Core.A"},"at_most":2})").json()["holds"] == false);
  CHECK(controlled.post("/assert", R"({"match":{"api":"Core.A"},"count":3,"from":3})").json()["holds"] == true);
}

TEST_CASE("control: waits for a number of calls") {
  const Controlled controlled;
  controlled.ask("SVC.Core.A/1/get");
  const auto begin = Clock::now();
  std::thread client([&controlled] {
    controlled.ask("SVC.Core.B/1/get");
    std::this_thread::sleep_for(milliseconds(30));
    controlled.ask("SVC.Core.A/1/get");
  });
  const json waited = controlled.post("/assert", R"({"match":{"api":"Core.A"},"at_least":2,"within_ms":20000})").json();
  client.join();
  CHECK(waited["holds"] == true);
  CHECK(waited["numbers"] == json({1, 3}));
  CHECK(Clock::now() - begin < std::chrono::seconds(10));
  const json missed = controlled.post("/assert", R"({"match":{"api":"Core.A"},"at_least":9,"within_ms":50})").json();
  CHECK(missed["holds"] == false);
  CHECK(missed["count"] == 2);
}

TEST_CASE("control: waits are limited and end with the server") {
  Controlled controlled;
  const std::uint16_t port = controlled.server->port();
  const std::string forever =
      controlled.post_bytes("/assert", R"({"match":{"api":"Core.Never"},"at_least":1,"within_ms":60000})");
  std::vector<std::thread> clients;
  for (unsigned i = 0; i < Control::most_waits; ++i) {
    clients.emplace_back([port, forever] {
      // The probe below briefly uses one of the places.
      while (send_bytes(port, forever).status == 503) std::this_thread::yield();
    });
  }
  // Other requests still get responses while all of these wait.
  Said refused;
  for (int i = 0; i < 200 && refused.status != 503; ++i) {
    refused = controlled.post("/assert", R"({"match":{"api":"Core.Never"},"at_least":1,"within_ms":20})");
  }
  CHECK(refused.status == 503);
  CHECK(controlled.get("/state").status == 200);
  const auto begin = Clock::now();
  controlled.server.reset();
  for (std::thread& client : clients) client.join();
  CHECK(Clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("control: clients that do not send the rest of a request hold up no others") {
  const Controlled controlled;
  for (const std::string part :
       {"", "GET /state HT", "POST /assert HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{"}) {
    CAPTURE(part);
    std::vector<http::testing::RawSocket> silent;
    for (int i = 0; i < 400; ++i) {
      silent.push_back(http::testing::RawSocket::connect(controlled.server->port()));
      if (!part.empty()) (void)silent.back().send(part);
    }
    const auto begin = Clock::now();
    CHECK(controlled.get("/state").status == 200);
    CHECK(Clock::now() - begin < std::chrono::seconds(3));
  }
}

TEST_CASE("control: works in a process with thousands of connections") {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (tests::is_missing("descriptors", limit.rlim_max >= 2'000)) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const Controlled controlled;
  std::vector<int> taken;
  for (int i = 0; i < 1'100; ++i) taken.push_back(dup(STDERR_FILENO));  // select() takes descriptors below 1,024
  CHECK(controlled.get("/state").status == 200);
  CHECK(controlled.post("/sessions/drop", R"({"all":true})").status == 200);
  for (const int descriptor : taken) close(descriptor);
}

TEST_CASE("control: record has no routes for replay") {
  journal::Journal journal;
  proxy::RecordingScopes scopes;
  Subject subject{"record",
                  "http://127.0.0.1:1",
                  &journal,
                  nullptr,
                  [] {
                    return std::vector<std::pair<std::string, std::uint64_t>>{{"requests", 4}};
                  },
                  scope_calls(scopes)};
  Control control(subject);
  for (const Route& route : routes()) {
    if (route.path == "/events" || route.is_numbered() || route.run == Route::Run::record)
      continue;                                                      // these have separate tests
    if (route.path == "/scope" && route.method == "POST") continue;  // there is no data port here
    const bool is_scope = route.path.starts_with("/scope");
    const bool is_result = route.path == "/scope/result";
    const std::string of_scope = is_result ? R"({"name":"a","ok":true})" : R"({"name":"a"})";
    const ControlResponse response =
        control.respond(route, "", is_scope ? of_scope : R"({"match":{"api":"A"},"never":true})");
    INFO(route.path);
    CHECK(response.status == (route.run == Route::Run::replay ? 404 : 200));
  }
}

TEST_CASE("control: routes and documented calls are the same") {
  const std::string text = file_text(std::string(tapedeck::tests::source_folder) + "/docs/control-api.md");
  REQUIRE_FALSE(text.empty());
  std::size_t documented = 0;
  for (const char* method : {"\n| `GET /", "\n| `POST /"}) {
    for (std::size_t at = text.find(method); at != std::string::npos; at = text.find(method, at + 1)) ++documented;
  }
  for (const Route& route : routes()) {
    const std::string row =
        "\n| `" + std::string(route.method) + " " + std::string(route.path) + (route.is_numbered() ? "N` |" : "` |");
    INFO(row);
    CHECK(text.find(row) != std::string::npos);
  }
  CHECK(documented == routes().size());
}

}  // namespace tapedeck::inspector
