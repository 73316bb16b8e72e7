// Tests floods and slow clients against the built program, recording and replaying: other clients are not affected, and
// memory stays below 64 MB and the buffer limit.

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

#include "base/joined_thread.h"
#include "tests/e2e/fault_client.h"
#include "tests/e2e/harness.h"
#include "tests/http/raw_socket.h"
#include "tests/support/fault_device.h"
#include "tests/support/needs.h"
#include "tests/support/proc.h"

namespace tapedeck::tests::flood_cases {

namespace {

using namespace std::chrono_literals;
using http::testing::RawSocket;
using Clock = std::chrono::steady_clock;

constexpr std::size_t buffer_limit = 32u << 20;
constexpr std::size_t megabyte = 1u << 20;

const std::string request = "GET " + target_with("none") + " HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// A program under test: record with a sound device, or replay.
struct Running {
  explicit Running(bool records, std::vector<std::string> options = {}) {
    std::vector<std::string> arguments = {"replay"};
    if (records) arguments = {"record", "--device", device.url(), folder / "c.cassette"};
    arguments.insert(arguments.end(), {"--buffer", std::to_string(buffer_limit)});
    arguments.insert(arguments.end(), options.begin(), options.end());
    server = std::make_unique<Server>(folder.path(), arguments);
  }
  [[nodiscard]] RawSocket connect() const { return RawSocket::connect(port_of(server->url())); }
  [[nodiscard]] std::size_t memory(const char* line) const { return memory_of(server->child().pid(), line); }

  TempDir folder;
  FaultDevice device;
  std::unique_ptr<Server> server;
};

/// Sends one request on a connection that stays open. Returns the status, or "" without a response.
std::string status_after(RawSocket& client, const std::string& bytes) {
  client.send(bytes);
  const std::string answer = client.read_message();
  return answer.size() < 12 ? "" : answer.substr(9, 3);
}

std::vector<RawSocket> connections(const Running& running, std::size_t count) {
  std::vector<RawSocket> clients;
  for (std::size_t i = 0; i < count; ++i) clients.push_back(running.connect());
  return clients;
}

/// Sends one byte of a request on each connection in turn, repeatedly, without ever completing one.
class Dripping {
 public:
  explicit Dripping(std::vector<RawSocket> clients)
      : clients_(std::move(clients)), thread_([this] { drip(); }) {}
  ~Dripping() { ends_ = true; }

 private:
  void drip() {
    for (std::size_t at = 0; !ends_; at = (at + 1) % (request.size() - 4)) {
      for (RawSocket& client : clients_) client.send(std::string_view(request).substr(at, 1));
      std::this_thread::sleep_for(20ms);  // slows down the client
    }
  }
  std::vector<RawSocket> clients_;
  std::atomic<bool> ends_ = false;
  base::JoinedThread thread_;
};

milliseconds p99_of(Running& running, int requests) {
  RawSocket good = running.connect();
  std::vector<Clock::duration> times;
  for (int i = 0; i < requests; ++i) {
    const auto began = Clock::now();
    REQUIRE(status_after(good, request) == "200");
    times.push_back(Clock::now() - began);
  }
  std::sort(times.begin(), times.end());
  return std::chrono::duration_cast<milliseconds>(times[times.size() * 99 / 100]);
}

/// Returns the number of connections that the descriptor limit allows.
std::size_t connections_possible(std::size_t wanted) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return std::min<std::size_t>(wanted, limit.rlim_max - 200);
}

/// Begins a request and repeats the same piece until the server refuses. Returns the status of the refusal.
std::string flood(RawSocket client, std::string_view begin, const std::string& piece, std::size_t bytes) {
  client.send(begin);
  for (std::size_t sent = 0; sent < bytes && client.send(piece); sent += piece.size()) continue;
  const std::string answer = client.read_all();
  return answer.size() < 12 ? "" : answer.substr(9, 3);
}

/// Returns "control" or "token" from the ready file.
std::string ready_value(const Running& running, const std::string& name) {
  std::ifstream ready(running.server->ready_file());
  for (std::string line; std::getline(ready, line);) {
    if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
  }
  return "";
}

}  // namespace

TEST_CASE("floods: slow and idle clients do not slow down others", "[timing]") {
  for (const bool records : {true, false}) {
    CAPTURE(records);
    Running running(records);
    const std::vector<RawSocket> idle = connections(running, 64);
    const Dripping dripping(connections(running, 200));
    CHECK(p99_of(running, is_long() ? 5000 : 500) < 100ms);
  }
}

TEST_CASE("floods: ten thousand idle connections cost less than 64 MB") {
  const std::size_t count = connections_possible(10'000);
  for (const bool records : {true, false}) {
    CAPTURE(records, count);
    Running running(records, {"--connections", "10010"});
    RawSocket first = running.connect();
    REQUIRE(status_after(first, request) == "200");
    const std::size_t before = running.memory("VmRSS");
    std::vector<RawSocket> clients = connections(running, count);
    const auto served = std::min<std::size_t>(clients.size(), is_long() ? clients.size() : 500);
    for (std::size_t i = 0; i < served; ++i) REQUIRE(status_after(clients[i], request) == "200");
    REQUIRE(status_after(clients.back(), request) == "200");  // all earlier connections are accepted
    const std::size_t cost = running.memory("VmRSS") - before;
    CAPTURE(cost / megabyte);
    if (memory_counts) CHECK(cost < 64 * megabyte);
    CHECK(status_after(first, request) == "200");
  }
}

TEST_CASE("floods: long heads, long bodies, and many clients are refused in bounded memory") {
  const std::string post = "POST /webapi/entry.cgi HTTP/1.1\r\nHost: a\r\n";
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "X-Many: yes\r\n";
  const std::string piece(megabyte, 'a');
  for (const bool records : {true, false}) {
    CAPTURE(records);
    Running running(records);
    CHECK(flood(running.connect(), post + "X-Long: ", piece, 200 * megabyte) == "431");
    CHECK(flood(running.connect(), post, many, 13'000'000) == "431");
    CHECK(flood(running.connect(), "GET /" + piece, piece, 200 * megabyte) == "414");
    const std::string body = flood(running.connect(), post + "Transfer-Encoding: chunked\r\n\r\n",
                                   "100000\r\n" + piece + "\r\n", 200 * megabyte);
    CAPTURE(body);
    // A recorder streams a long upload, which this device refuses.
    CHECK((body == "413" || body == "503" || (records && body == "403")));
    std::vector<RawSocket> crowd = connections(running, 1000);
    for (RawSocket& client : crowd) client.send(post + "Content-Length: 60000\r\n\r\n" + piece.substr(0, 50'000));
    RawSocket good = running.connect();
    const std::string status = status_after(good, request);
    CHECK((status == "200" || status == "503"));  // the crowd needs more than all buffers
    crowd.clear();
    RawSocket later = running.connect();
    CHECK(status_after(later, request) == "200");
    const std::size_t most = running.memory("VmHWM");
    CAPTURE(most / megabyte);
    if (memory_counts) CHECK(most < 64 * megabyte + buffer_limit);
    CHECK(running.device.requests() <= 2);
    CHECK(running.server->stop() == 0);
  }
}

TEST_CASE("floods: the control port reads no more than the maximum request") {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "X-Many: yes\r\n";
  const std::string piece(megabyte, 'a');
  constexpr std::size_t enough = 200 * megabyte;
  for (const bool records : {true, false}) {
    CAPTURE(records);
    Running running(records, {"--control", "127.0.0.1:0"});
    const std::uint16_t port = port_of(ready_value(running, "control"));
    const std::string ours =
        "Host: 127.0.0.1:" + std::to_string(port) + "\r\nX-Tapedeck-Token: " + ready_value(running, "token") + "\r\n";
    const std::string health = "GET /state HTTP/1.1\r\n" + ours + "\r\n";
    const std::string post = "POST /assert HTTP/1.1\r\n" + ours + "Content-Type: application/json\r\n";
    const auto connect = [port] { return RawSocket::connect(port); };
    CHECK(flood(connect(), health, "", 0) == "200");
    const std::size_t before = running.memory("VmHWM");
    CHECK(flood(connect(), "GET /", piece, enough) == "414");
    CHECK(flood(connect(), "", std::string(megabyte, '\0'), enough) == "400");
    CHECK(flood(connect(), "GET / HTTP/1.1\r\nX-Long: ", piece, enough) == "431");
    CHECK(flood(connect(), "GET / HTTP/1.1\r\n", many, 13'000'000) == "431");
    // This applies even with the token.
    CHECK(flood(connect(), post + "X-Long: ", piece, enough) == "431");
    CHECK(flood(connect(), post, many, 13'000'000) == "431");
    CHECK(flood(connect(), post + "Content-Length: 200000000\r\n\r\n", piece, enough) == "413");
    CHECK(flood(connect(), post + "Transfer-Encoding: chunked\r\n\r\n", "100000\r\n" + piece + "\r\n", enough) ==
          "411");
    const std::size_t most = running.memory("VmHWM");
    CAPTURE(before / megabyte, most / megabyte);
    if (memory_counts) CHECK(most < before + 8 * megabyte);
    CHECK(flood(connect(), health, "", 0) == "200");
    CHECK(running.server->stop() == 0);
  }
}

TEST_CASE("floods: the control port drops slow clients after ten seconds") {
  Running running(false, {"--control", "127.0.0.1:0"});
  const std::uint16_t port = port_of(ready_value(running, "control"));
  const std::vector<std::string> beginnings = {"", "G", "GET /state HTTP/1.1\r\nHost: a"};
  std::vector<RawSocket> clients;
  const auto begun = Clock::now();
  for (const std::string& text : beginnings) {
    clients.push_back(RawSocket::connect(port));
    clients.back().send(text);
  }
  std::atomic<bool> ends = false;
  base::JoinedThread drip([&clients, &ends] {
    while (!ends && clients[1].send("a") && clients[2].send("a")) std::this_thread::sleep_for(200ms);
  });
  for (std::size_t i = 0; i < clients.size(); ++i) {
    CAPTURE(beginnings[i]);
    CHECK(clients[i].read_all(20s).starts_with("HTTP/1.1 408 "));
    CHECK(Clock::now() - begun >= 9990ms);
    CHECK(Clock::now() - begun < 20s);
  }
  ends = true;
  CHECK(running.server->stop() == 0);
}

TEST_CASE("floods: SIGTERM closes idle and busy connections within a second", "[timing]") {
  for (const bool records : {true, false}) {
    CAPTURE(records);
    Running running(records, {"--control", "127.0.0.1:0"});
    std::vector<RawSocket> clients = connections(running, 110);
    clients.push_back(RawSocket::connect(port_of(ready_value(running, "control"))));
    for (std::size_t i = 0; i < 100; ++i) REQUIRE(status_after(clients[i], request) == "200");
    // Replay responds immediately, so its busy connections are in the middle of a request.
    const std::string busy = "GET " + target_with("no-answer") + " HTTP/1.1\r\nHost: localhost\r\n";
    for (std::size_t i = 100; i < 110; ++i) clients[i].send(records ? busy + "\r\n" : busy);
    const auto patience = Clock::now() + 10s;
    while (records && running.device.asked("no-answer") < 10 && Clock::now() < patience)
      std::this_thread::sleep_for(5ms);
    const auto began = Clock::now();
    running.server->child().signal(SIGTERM);
    for (RawSocket& client : clients) {
      (void)client.read_all();
      CHECK_FALSE(client.timed_out());
    }
    CHECK(Clock::now() - began < 1100ms);
    CHECK(running.server->child().wait() == 0);  // without a second signal, which would stop finishing
  }
}

TEST_CASE("record: requests that wait for the device at SIGTERM get a response and are stored as broken") {
  Running running(true);
  std::vector<RawSocket> clients = connections(running, 4);
  const std::string waiting = "GET " + target_with("no-answer") + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (RawSocket& client : clients) client.send(waiting);
  const auto patience = Clock::now() + 10s;
  while (running.device.asked("no-answer") < 4 && Clock::now() < patience) std::this_thread::sleep_for(5ms);
  clients.back().close();  // the client is gone, but the request was sent
  clients.pop_back();
  running.server->child().signal(SIGTERM);
  for (RawSocket& client : clients) {
    const std::string answer = client.read_all();
    CHECK(answer.starts_with("HTTP/1.1 503 "));
    CHECK(answer.find("stopped before the response was complete") != std::string::npos);
  }
  CHECK(running.server->child().wait() == 0);
  CHECK(running.server->out().find("4 requests were still waiting for the device") != std::string::npos);
  CHECK(running.server->err().find("the recording was stopped") != std::string::npos);
  const std::vector<Listed> rows = listed(running.folder / "c.cassette");
  CHECK(rows.size() == 4);
  for (const Listed& row : rows) {
    CHECK(row.completeness == "broken");
    CHECK(row.reason == "stopped: the recording was stopped before the response was complete");
  }
}

}  // namespace tapedeck::tests::flood_cases
