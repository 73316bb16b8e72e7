#include <catch2/catch.hpp>
#include <future>

#include "http/device/relay.h"
#include "tests/http/relay_fixture.h"
#include "tests/http/timing.h"

namespace tapedeck::http {
namespace {

using namespace std::chrono_literals;
using testing::body_of;
using testing::check_deadline;
using testing::FakeDevice;
using testing::fill_up;
using testing::once;
using testing::RawServer;
using testing::RawSocket;
using testing::status_of;
using testing::TestProxy;
using testing::time_of;

const std::string chunked_head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

struct Fault {
  std::string answer;
  Ending ending;
  std::string status;  ///< status that the client gets
  std::string body;    ///< body that the client gets
};

/// Returns `count` header lines, each with its line end.
std::string lines(int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += "a:\r\n";
  return all;
}

const std::vector<Fault>& faults() {
  static const std::vector<Fault> rows = {
      // cut
      {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", Ending::cut, "200", "hello"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", Ending::cut, "200", ""},
      {chunked_head + "5\r\nhello\r\n", Ending::cut, "200", "5\r\nhello\r\n"},
      {chunked_head + "5\r\nhel", Ending::cut, "200", "3\r\nhel\r\n"},
      {chunked_head + "5\r\nhello\r\n0\r\n", Ending::cut, "200", "5\r\nhello\r\n"},
      {chunked_head, Ending::cut, "200", ""},
      {"HTTP/1.1 200 OK\r\nContent-Le", Ending::cut, "502", ""},
      {"HTTP/1.1 100 Continue\r\n\r\n", Ending::cut, "502", ""},
      {"", Ending::unreachable, "502", ""},
      // bad chunks
      {chunked_head + "5\r\nhelloX\r\n0\r\n\r\n", Ending::bad_framing, "200", "5\r\nhello\r\n"},
      {chunked_head + "xyz\r\nhello\r\n0\r\n\r\n", Ending::bad_framing, "200", ""},
      {chunked_head + "-5\r\nhello\r\n", Ending::bad_framing, "200", ""},
      {chunked_head + "5\nhello\n0\n\n", Ending::bad_framing, "200", ""},
      {chunked_head + "FFFFFFFFFFFFFFFFFF\r\nhello", Ending::bad_framing, "200", ""},
      {chunked_head + "0\r\nbad trailer\r\n\r\n", Ending::bad_framing, "200", ""},
      // bad heads
      {"HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\nhello", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhello", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", Ending::bad_framing,
       "502", ""},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\nhello", Ending::bad_framing, "502", ""},
      {"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\n X: folded\r\n\r\n", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\n" + lines(1001) + "\r\n", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\nX: a\n folded\r\n\r\n", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n 5\r\n\r\nhello", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5,\r\n\r\nhello", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\nContent-Length : 5\r\nContent-Length: 6\r\n\r\nhello", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding :\r\n chunked\r\n\r\n0\r\n\r\n", Ending::bad_framing,
       "502", ""},
      {"HTTP/1.1 200 OK\r\n : a\r\n\r\n", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\nX Y : a\r\n\r\n", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\nContent-Length: 0\n\n", Ending::bad_framing, "502", ""},
      {std::string("HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n", 27), Ending::bad_framing, "502", ""},
      {"HTTP/1.1 20x OK\r\n\r\n", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 999 OK\r\n\r\n", Ending::bad_framing, "502", ""},
      {"HTTP/2.0 200 OK\r\n\r\n", Ending::bad_framing, "502", ""},
      {"\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", Ending::bad_framing, "502", ""},
      {"\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 2000 OK\r\n\r\n", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200\tOK\r\n\r\n", Ending::bad_framing, "502", ""},
      {"SSH-2.0-OpenSSH\r\n", Ending::bad_framing, "502", ""},
      {"{\"success\":true}\r\n\r\n", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 101 Switching Protocols\r\n\r\n", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 " + std::string(1u << 20, 'r') + "\r\n\r\n", Ending::bad_framing, "502", ""},
      {"HTTP/1.1 200 OK\r\nX: " + std::string(20u << 20, 'h'), Ending::bad_framing, "502", ""},
  };
  return rows;
}

TEST_CASE("relay faults: a broken response is reported as broken and cut for the client") {
  for (const Fault& fault : faults()) {
    CAPTURE(fault.answer.substr(0, 100));
    FakeDevice device(once(fault.answer));
    TestProxy proxy(device.port());
    RawSocket client = proxy.connect();
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");  // keep-alive, so that only the cut ends the connection
    const bool refused = fault.status == "502";
    const std::string answer = refused ? client.read_message() : client.read_all();
    const Relayed story = proxy.keeper().next();
    CHECK(to_string(story.ending) == to_string(fault.ending));
    CHECK(story.has_head == !refused);
    CHECK_FALSE(story.detail.empty());
    CHECK(status_of(answer) == fault.status);
    if (!refused) CHECK(body_of(answer) == fault.body);
    if (refused) CHECK(body_of(answer) == "502 Bad Gateway: " + story.detail + "\n");
    CHECK_FALSE(client.timed_out());
  }
}

TEST_CASE("relay faults: a response that ends with its connection is cut by a reset") {
  FakeDevice device([](RawSocket& socket, int) {
    (void)socket.read_message();
    socket.send("HTTP/1.1 200 OK\r\n\r\nhello");
    std::this_thread::sleep_for(50ms);
    socket.send_reset();
  });
  TestProxy proxy(device.port());
  RawSocket client = proxy.connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(body_of(client.read_all()) == "5\r\nhello\r\n");
  CHECK(proxy.keeper().next().ending == Ending::cut);
}

TEST_CASE("relay faults: an expired deadline is reported by its name", "[timing]") {
  RelayOptions options;
  options.limits.first_byte_time = 300ms;
  options.limits.stall_time = 300ms;
  options.limits.answer_time = 900ms;
  const struct {
    std::string name;
    std::function<void(RawSocket&)> serve;
    std::string status;
    std::chrono::milliseconds deadline;
  } rows[] = {
      {"silent", [](RawSocket& socket) { (void)socket.read_message(); }, "504", 300ms},
      {"stalled head",
       [](RawSocket& socket) {
         (void)socket.read_message();
         socket.send("HTTP/1.1 200 OK\r\nX: ");
       },
       "504", 300ms},
      {"stalled body",
       [](RawSocket& socket) {
         (void)socket.read_message();
         socket.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello");
       },
       "200", 300ms},
      {"stalled stream",
       [](RawSocket& socket) {
         (void)socket.read_message();
         socket.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
       },
       "200", 900ms},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    FakeDevice device([&row](RawSocket& socket, int) {
      row.serve(socket);
      std::string rest;
      socket.read_some(rest);
    });
    TestProxy proxy(device.port(), options);
    check_deadline(row.deadline, [&] {
      const auto took = time_of([&] { CHECK(status_of(proxy.ask()) == row.status); });
      CHECK(proxy.keeper().next().ending == Ending::timed_out);
      return took;
    });
  }
}

TEST_CASE("relay faults: gives up a device that does not read the request", "[timing]") {
  RelayOptions options;
  options.limits.stall_time = 800ms;
  std::promise<int> asked;
  std::future<int> device_fd = asked.get_future();
  FakeDevice device([&asked](RawSocket& socket, int) {
    char byte = 0;
    pollfd waits{socket.fd(), POLLHUP, 0};
    (void)::recv(socket.fd(), &byte, 1, MSG_PEEK);
    asked.set_value(socket.fd());
    (void)::poll(&waits, 1, 20'000);
  });
  TestProxy proxy(device.port(), options);
  proxy.loop().advance(0ms);
  RawSocket client = proxy.connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30000000\r\n\r\n" + std::string(30'000'000, 'u'));
  REQUIRE(device_fd.wait_for(10s) == std::future_status::ready);
  fill_up(device_fd.get());
  std::string answer;
  check_deadline(proxy.loop(), options.limits.stall_time,
                 [&](std::chrono::milliseconds patience) { return client.read_some(answer, patience); });
  CHECK(status_of(answer) == "504");
  CHECK(proxy.keeper().next().detail == "timeout while sending the request to the device");
}

TEST_CASE("relay faults: gives up an unfinished handshake in time", "[timing]") {
  RelayOptions options;
  options.limits.connect_time = 300ms;
  options.tls.insecure = true;
  FakeDevice device([](RawSocket& socket, int) { (void)socket.read_all(); });
  TestProxy proxy(device.port(), options, true);
  check_deadline(300ms, [&proxy] {
    const auto took = time_of([&proxy] { CHECK(status_of(proxy.ask()) == "504"); });
    CHECK(proxy.keeper().next().ending == Ending::timed_out);
    return took;
  });
}

TEST_CASE("relay faults: gives up a connection that is never accepted in time", "[timing]") {
  RelayOptions options;
  options.limits.connect_time = 300ms;
  RawServer server(0);
  const RawSocket waiting = RawSocket::connect(server.port());
  TestProxy proxy(server.port(), options);
  check_deadline(300ms, [&proxy] {
    const auto took = time_of([&proxy] { CHECK(status_of(proxy.ask()) == "504"); });
    CHECK(proxy.keeper().next().detail == "timeout while connecting to the device");
    return took;
  });
}

TEST_CASE("relay faults: an unknown host name is a clear 502, or a 504 in time") {
  RelayOptions options;
  options.limits.connect_time = 500ms;
  TestProxy proxy(80, options, false, "nas.invalid");
  const std::string status = status_of(proxy.ask());
  CHECK((status == "502" || status == "504"));
  CHECK_FALSE(proxy.keeper().next().has_head);
}

TEST_CASE("relay faults: an unreachable device gives 502 with the reason") {
  std::uint16_t closed_port = 0;
  { closed_port = RawServer().port(); }
  TestProxy proxy(closed_port);
  CHECK(body_of(proxy.ask()) == "502 Bad Gateway: the device refused the connection\n");
  const Relayed story = proxy.keeper().next();
  CHECK(story.ending == Ending::unreachable);
  CHECK_FALSE(story.has_head);
}

TEST_CASE("relay faults: shutdown reports every incomplete response") {
  const struct {
    std::string begun, status;  // bytes that the device had sent; the client's status
  } rows[] = {
      {"", "503"},
      {"HTTP/1.1 200 OK\r\nContent-", "503"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart", "200"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.begun);
    std::promise<void> asked;
    FakeDevice device([&](RawSocket& socket, int) {
      (void)socket.read_message();
      socket.send(row.begun);
      asked.set_value();
      std::string rest;
      (void)socket.read_some(rest);
    });
    TestProxy proxy(device.port());
    RawSocket client = proxy.connect();
    client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    asked.get_future().wait();
    std::this_thread::sleep_for(100ms);  // time to read the device's bytes
    proxy.shut_down_relay();
    const std::string answer = client.read_all();
    CHECK(status_of(answer) == row.status);
    CHECK_FALSE(client.timed_out());
    const Relayed story = proxy.keeper().next();
    CHECK(story.ending == Ending::stopped);
    CHECK(story.detail == "the recording was stopped before the response was complete");
    CHECK(status_of(proxy.ask()) == "503");  // later requests are not sent to the device
    CHECK(proxy.keeper().next().ending == Ending::stopped);
    CHECK(device.connections() == 1);
  }
}

TEST_CASE("relay faults: reads a response that comes before the end of the request") {
  FakeDevice device([](RawSocket& socket, int) {
    (void)socket.read_until("\r\n\r\n");
    socket.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig");
    ::shutdown(socket.fd(), SHUT_WR);
    std::string rest;
    while (socket.read_some(rest)) rest.clear();
  });
  TestProxy proxy(device.port());
  RawSocket client = proxy.connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 8000000\r\n\r\n" +
              std::string(8'000'000, 'u'));
  const std::string answer = client.read_all();
  CHECK(status_of(answer) == "413");
  CHECK(body_of(answer) == "big");
}

TEST_CASE("relay faults: without memory for the result, the client is disconnected, and the next one is served") {
  FakeDevice device(testing::always("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  TestProxy proxy(device.port());
  proxy.keeper().lacks_memory = true;
  RawSocket client = proxy.connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(client.read_all().empty());
  CHECK_FALSE(client.timed_out());
  proxy.keeper().lacks_memory = false;
  CHECK(body_of(proxy.ask()) == "ok");
}

TEST_CASE("relay faults: floods from the device stay within the buffers") {
  RelayOptions options;
  options.limits.buffer_bytes = 4u << 20;
  const std::string body(2u << 20, 'f');
  FakeDevice device(once("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body));
  TestProxy proxy(device.port(), options);
  std::vector<std::thread> clients;
  std::atomic<int> whole = 0;
  std::atomic<bool> over = false;
  for (int i = 0; i < 12; ++i) {
    clients.emplace_back([&] {
      if (body_of(proxy.ask()) == body) ++whole;
    });
  }
  std::thread watch([&] {
    // Twelve responses of 2 MiB are requested at once, and each is charged twice. All may use half of the limit, and
    // the oldest continues beyond it.
    while (whole < 12 && !over) {
      if (BufferCharge::total() > (8u << 20)) over = true;
      std::this_thread::sleep_for(1ms);
    }
  });
  for (std::thread& client : clients) client.join();
  CHECK(whole == 12);
  CHECK_FALSE(over);
  over = true;
  watch.join();
}

}  // namespace
}  // namespace tapedeck::http
