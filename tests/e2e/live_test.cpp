// Tests traffic that cannot be held by the built program: live streams, long uploads, slow but steady peers, and
// clients that request much and stop reading.

#include <sys/resource.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <thread>

#include "tests/e2e/fault_client.h"
#include "tests/e2e/harness.h"
#include "tests/http/raw_socket.h"
#include "tests/support/needs.h"
#include "tests/support/proc.h"

namespace tapedeck::tests::live_cases {

namespace {

using namespace std::chrono_literals;
using http::testing::RawServer;
using http::testing::RawSocket;
using Clock = std::chrono::steady_clock;

constexpr std::size_t megabyte = 1u << 20;

/// A device of raw bytes, with a thread for each connection.
class RawDevice {
 public:
  explicit RawDevice(std::function<void(RawSocket&)> serve)
      : serve_(std::move(serve)), accepting_([this] { accept_all(); }) {}
  ~RawDevice() {
    server_.stop();
    accepting_.join();
    for (const auto& socket : sockets_) ::shutdown(socket->fd(), SHUT_RDWR);
    for (std::thread& thread : threads_) thread.join();
  }
  RawDevice(const RawDevice&) = delete;
  RawDevice& operator=(const RawDevice&) = delete;
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

 private:
  void accept_all() {
    for (;;) {
      auto socket = std::make_shared<RawSocket>(server_.accept());
      if (socket->fd() < 0) return;
      sockets_.push_back(socket);
      threads_.emplace_back([this, socket] {
        serve_(*socket);
        ::shutdown(socket->fd(), SHUT_RDWR);
      });
    }
  }

  RawServer server_;
  std::function<void(RawSocket&)> serve_;
  std::vector<std::shared_ptr<RawSocket>> sockets_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

RawSocket ask_for(const std::string& url, const std::string& target) {
  RawSocket client = RawSocket::connect(port_of(url));
  client.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return client;
}

}  // namespace

TEST_CASE("live: small events arrive immediately, and a stream that its client ends is recorded and played") {
  const TempDir folder;
  std::atomic<bool> let_go = false;
  RawDevice device([&](RawSocket& socket) {
    if (socket.read_message().empty()) return;  // the recorder connects at its start to check the device
    socket.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
    for (int i = 0; i < 5; ++i) {
      socket.send("data: " + std::to_string(i) + "\n\n");
      std::this_thread::sleep_for(300ms);
    }
    std::string rest;
    let_go = !socket.read_some(rest, 10s) && !socket.timed_out();
  });
  const std::string cassette = folder / "live.cassette";
  const std::string target = "/webapi/entry.cgi?api=SYNO.Core.Progress&version=1&method=list";
  {
    Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
    RawSocket client = ask_for(recorder.url(), target);
    const auto began = Clock::now();
    for (int i = 0; i < 5; ++i) {
      (void)client.read_until("data: " + std::to_string(i) + "\n\n");
      CHECK(Clock::now() - began < 300ms * i + 900ms);
    }
    client.close();
    const auto until = Clock::now() + 10s;
    while (!let_go && Clock::now() < until) std::this_thread::sleep_for(10ms);
    CHECK(let_go);
    CHECK(recorder.stop() == 0);
  }
  const std::vector<Listed> rows = listed(cassette);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].completeness == "complete");
  CHECK(run_tapedeck({"ls", "--json", cassette}).out.find("\"ended_by_client\":true") != std::string::npos);
  CHECK(run_tapedeck({"show", cassette, ids_in(cassette).at(0)}).out.find("; ended by the client\n") !=
        std::string::npos);
  Server replay(folder.path(), {"replay", cassette});
  CHECK(ask(replay.url(), target).body == "data: 0\n\ndata: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4\n\n");
}

TEST_CASE("live: an upload over the limit reaches the device and is recorded as withheld") {
  const TempDir folder;
  std::atomic<std::size_t> got = 0;
  const std::string secret = "Zu8vB3nM5kP1xQ9wE7rT";
  RawDevice device([&](RawSocket& socket) {
    for (;;) {
      const std::string head = socket.read_until("\r\n\r\n");
      const std::size_t at = head.find("Content-Length: ");
      if (at == std::string::npos) return;
      got = socket.read_bytes(std::stoul(head.substr(at + 16))).size();
      socket.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"success\":true}");
    }
  });
  const std::string cassette = folder / "upload.cassette";
  const std::string target = "/webapi/entry.cgi?api=SYNO.FileStation.Upload&version=2&method=upload&_sid=" + secret;
  for (const std::size_t bytes : {100'000'000u, 1'000'000u}) {
    CAPTURE(bytes);
    Server recorder(folder.path(), {"record", "--device", device.url(), cassette + std::to_string(bytes)});
    RawSocket client = RawSocket::connect(port_of(recorder.url()));
    client.send("POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n" +
                "Content-Length: " + std::to_string(bytes) + "\r\n\r\n");
    const std::string piece(megabyte, 'u');
    for (std::size_t sent = 0; sent < bytes; sent += megabyte) {
      client.send(std::string_view(piece).substr(0, std::min(megabyte, bytes - sent)));
    }
    CHECK(client.read_message().ends_with("{\"success\":true}"));
    CHECK(got == bytes);
    const std::size_t most = memory_of(recorder.child().pid(), "VmHWM");
    CAPTURE(most / megabyte);
    if (memory_counts && bytes > 64 * megabyte) CHECK(most < 64 * megabyte);
    CHECK(recorder.stop() == 0);
    const std::vector<Listed> rows = listed(cassette + std::to_string(bytes));
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].key.find("FileStation.Upload/2/upload") != std::string::npos);
    CHECK(rows[0].completeness == (bytes > 64 * megabyte ? "withheld" : "complete"));
    CHECK(rows[0].reason == (bytes > 64 * megabyte ? "the request body is longer than --max-request-body" : ""));
    CHECK(read_file(cassette + std::to_string(bytes)).find(secret) == std::string::npos);
  }
}

TEST_CASE("live: clients that request much and stop reading stay within the buffers") {
  const std::string body(22 * megabyte, 'm');
  RawDevice device([&](RawSocket& socket) {
    while (!socket.read_message().empty()) {
      if (!socket.send("HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: " +
                       std::to_string(body.size()) + "\r\n\r\n") ||
          !socket.send(body)) {
        return;
      }
    }
  });
  std::vector<std::size_t> buffers{48 * megabyte};
  if (is_long()) buffers.push_back(256 * megabyte);
  for (const std::size_t buffer : buffers) {
    CAPTURE(buffer / megabyte);
    const TempDir folder;
    Server recorder(folder.path(),
                    {"record", "--device", device.url(), "--buffer", std::to_string(buffer), folder / "much.cassette"});
    std::vector<RawSocket> clients;
    for (int i = 0; i < 12; ++i) clients.push_back(ask_for(recorder.url(), "/file/" + std::to_string(i)));
    std::size_t most = 0;
    for (int i = 0; i < 30; ++i) {
      std::this_thread::sleep_for(100ms);
      most = memory_of(recorder.child().pid(), "VmHWM");
    }
    CAPTURE(most / megabyte);
    // SQLite has a copy of the row that it writes.
    if (memory_counts) CHECK(most < buffer + body.size() + 64'000'000);
    clients.clear();
    const auto is_answered = [&body](const std::string& url) {
      RawSocket good = ask_for(url, "/file/good");
      return good.read_until("\r\n\r\n").starts_with("HTTP/1.1 200 ") && good.read_bytes(body.size()) == body;
    };
    // On a slow machine, the data of the others is still being stored, so there is no room.
    bool answered = false;
    for (int i = 0; i < 100 && !answered; ++i) {
      answered = is_answered(recorder.url());
      if (!answered) std::this_thread::sleep_for(200ms);
    }
    CHECK(answered);
    CHECK(recorder.stop() == 0);
    Server replay(folder.path(), {"replay", folder / "much.cassette"});
    CHECK(is_answered(replay.url()));
  }
}

TEST_CASE("live: without free memory, only the request that needs it fails, and the recording goes on") {
  if (is_missing("plain-build", memory_counts)) return;
  const TempDir folder;
  RawDevice device([](RawSocket& socket) {
    for (std::string request = socket.read_message(); !request.empty(); request = socket.read_message()) {
      const std::size_t bytes = request.find("/large") == std::string::npos ? 5 : 50 * megabyte;
      socket.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n" + std::string(bytes, 'x'));
    }
  });
  const std::string cassette = folder / "short.cassette";
  Server recorder(folder.path(), {"record", "--device", device.url(), "--device-time", "3s", cassette});
  CHECK(ask_for(recorder.url(), "/small").read_message().ends_with("xxxxx"));
  const rlim_t enough = memory_of(recorder.child().pid(), "VmSize") + 30 * megabyte;
  const rlimit limit{enough, enough};
  REQUIRE(::prlimit(recorder.child().pid(), RLIMIT_AS, &limit, nullptr) == 0);
  (void)ask_for(recorder.url(), "/large").read_all();
  CHECK(ask_for(recorder.url(), "/small").read_message().ends_with("xxxxx"));
  CHECK(recorder.stop() == 0);
  CHECK(recorder.err().find("internal error: a request has no response") != std::string::npos);
  const std::vector<Listed> rows = listed(cassette);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].key.find("/small") != std::string::npos);
  CHECK(rows[0].completeness == "complete");
  CHECK(rows[1].key.find("/large") != std::string::npos);
  CHECK(rows[1].completeness == "broken");
  CHECK(rows[2].completeness == "complete");
  CHECK(run_tapedeck({"ls", cassette}).err.find("unverified") == std::string::npos);
}

}  // namespace tapedeck::tests::live_cases
