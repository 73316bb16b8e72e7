// Tests many simultaneous connections: their cost, and their effect on other clients.

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/http/server_fixture.h"
#include "tests/support/proc.h"

namespace tapedeck::http {
namespace {

using testing::body_of;
using testing::EchoHandler;
using testing::RawSocket;
using testing::status_of;
using testing::TestServer;
using tests::memory_counts;

const std::string get_request =
    "GET /webapi/entry.cgi?api=SVC.API.Info&version=1&method=query HTTP/1.1\r\nHost: localhost:8080\r\n"
    "User-Agent: a-client-with-quite-a-long-name/1.0\r\nCookie: id=a-made-up-session-id-of-some-length\r\n\r\n";

/// Returns resident memory in bytes.
std::size_t resident() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t pages = 0;
  file >> total >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Returns the number of connections that the descriptor limit allows. Both ends of each connection are in this
/// process.
std::size_t connections_possible(std::size_t wanted) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return std::min<std::size_t>(wanted, (limit.rlim_cur - 100) / 2);
}

TEST_CASE("crowd: an idle connection costs less than 6600 bytes") {
  EchoHandler handler;
  Limits limits;
  limits.connections = 20'000;
  TestServer server(handler, limits);
  const std::size_t count = connections_possible(10'000);
  std::vector<RawSocket> clients;
  clients.reserve(count);
  const std::size_t before = resident();
  for (std::size_t i = 0; i < count; ++i) {
    clients.push_back(server.connect());
    clients.back().send(get_request);
  }
  for (RawSocket& client : clients) REQUIRE(status_of(client.read_message()) == "200");
  // The memory of the test's clients also counts, so the limit is conservative.
  if (memory_counts) CHECK(resident() - before < count * 6600);
  clients.back().send(get_request);
  CHECK(status_of(clients.back().read_message()) == "200");
}

TEST_CASE("crowd: slow and idle clients do not slow down others", "[timing]") {
  EchoHandler handler;
  TestServer server(handler);
  std::vector<RawSocket> dripping;
  std::vector<RawSocket> idle;
  for (int i = 0; i < 200; ++i) dripping.push_back(server.connect());
  for (int i = 0; i < 64; ++i) idle.push_back(server.connect());
  std::atomic<bool> stop = false;
  std::thread drip([&] {
    for (std::size_t at = 0; !stop; at = (at + 1) % (get_request.size() - 4)) {
      for (RawSocket& client : dripping) client.send(std::string_view(get_request).substr(at, 1));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  RawSocket good = server.connect();
  std::vector<std::chrono::steady_clock::duration> times;
  for (int i = 0; i < 1000; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    good.send(get_request);
    REQUIRE(status_of(good.read_message()) == "200");
    times.push_back(std::chrono::steady_clock::now() - begin);
  }
  stop = true;
  drip.join();
  std::sort(times.begin(), times.end());
  CHECK(times[990] < std::chrono::milliseconds(100));
}

TEST_CASE("crowd: refuses floods with little memory") {
  EchoHandler handler;
  TestServer server(handler);
  const std::size_t before = resident();
  std::string million;
  for (int i = 0; i < 200'000; ++i) million += "X-A: b\r\n";
  const std::string piece(1u << 20, 'a');
  const std::string chunk = "100000\r\n" + piece + "\r\n";
  const struct {
    std::string begin;
    const std::string& rest;
    int times;
    std::string expected;
  } rows[] = {
      {"GET / HTTP/1.1\r\nHost: a\r\nX: ", piece, 200, "431"},
      {"GET / HTTP/1.1\r\nHost: a\r\n", million, 5, "431"},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", chunk, 200, "413"},
  };
  for (const auto& row : rows) {
    RawSocket client = server.connect();
    client.send(row.begin);
    for (int i = 0; i < row.times && client.send(row.rest); ++i) continue;
    CHECK(status_of(client.read_all()) == row.expected);
  }
  CHECK(handler.handled == 0);
  // A body may grow to its limit of 64 MiB before it is refused.
  if (memory_counts) CHECK(resident() - before < (160u << 20));
}

}  // namespace
}  // namespace tapedeck::http
