// Tests the limits of the listener: times, connections, bytes kept for clients, descriptors.

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <future>
#include <thread>

#include "http/io/buffer_charge.h"
#include "http/server/listener.h"
#include "tests/http/server_fixture.h"
#include "tests/http/timing.h"
#include "tests/support/needs_linux.h"

namespace tapedeck::http {
namespace {

using namespace std::chrono_literals;
using testing::body_of;
using testing::CallHandler;
using testing::check_deadline;
using testing::EchoHandler;
using testing::fill_up;
using testing::get;
using testing::RawSocket;
using testing::status_of;
using testing::TestServer;

/// Waits until the charges of the previous test are released, and returns all charges.
std::size_t charges_at_rest() {
  for (int i = 0; i < 500 && BufferCharge::total() != 0; ++i) std::this_thread::sleep_for(10ms);
  return BufferCharge::total();
}

/// Checks that two requests are handled, and that no other one is while the listener checks for room twice.
void check_two_have_room(const std::atomic<int>& handled) {
  for (int i = 0; i < 1000 && handled < 2; ++i) std::this_thread::sleep_for(5ms);
  std::this_thread::sleep_for(600ms);
  CHECK(handled == 2);
}

TEST_CASE("listener: a deadline ends a slow client with an explanation", "[timing]") {
  Limits limits;
  limits.head_time = 200ms;
  limits.body_time = 300ms;
  limits.idle_time = 400ms;
  const struct {
    std::string request, expected;
    std::chrono::milliseconds deadline;
  } rows[] = {{"", "", 400ms},
              {"GET / HT", "408", 200ms},
              {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel", "408", 300ms},
              {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", "408", 300ms}};
  for (const auto& row : rows) {
    CAPTURE(row.request);
    EchoHandler handler;
    TestServer server(handler, limits);
    server.loop().advance(0ms);
    RawSocket client = server.connect();
    client.send(row.request);
    std::string answer;
    check_deadline(server.loop(), row.deadline, [&](std::chrono::milliseconds patience) {
      return client.read_some(answer, patience) || !client.timed_out();
    });
    CHECK(status_of(answer) == row.expected);
    CHECK(handler.handled == 0);
  }
}

TEST_CASE("listener: drops a client that does not read its response at the deadline", "[timing]") {
  Limits limits;
  limits.write_time = 400ms;
  std::promise<bool> gone;
  std::future<bool> was_gone = gone.get_future();
  std::shared_ptr<Exchange> kept;
  CallHandler handler([&](std::shared_ptr<Exchange> exchange) {
    kept = exchange;
    exchange->on_drained([&] { gone.set_value(kept->gone()); });
    exchange->start(Response());
    exchange->write(std::string(32u << 20, 'x'));
    CHECK(exchange->unsent() > (1u << 20));
  });
  TestServer server(handler, limits);
  server.loop().advance(0ms);
  RawSocket client = server.connect();
  client.send(get("/"));
  fill_up(client.fd());
  check_deadline(server.loop(), limits.write_time, [&](std::chrono::milliseconds patience) {
    return was_gone.wait_for(patience) == std::future_status::ready;
  });
  REQUIRE(was_gone.wait_for(0ms) == std::future_status::ready);
  CHECK(was_gone.get());
}

TEST_CASE("listener: a connection over the limit gets 503") {
  Limits limits;
  limits.connections = 2;
  EchoHandler handler;
  TestServer server(handler, limits);
  RawSocket a = server.connect();
  RawSocket b = server.connect();
  a.send(get("/a"));
  b.send(get("/b"));
  CHECK(status_of(a.read_message()) == "200");
  CHECK(status_of(b.read_message()) == "200");
  RawSocket c = server.connect();
  CHECK(status_of(c.read_all()) == "503");
  a.send(get("/a"));
  CHECK(status_of(a.read_message()) == "200");
}

std::string upload(std::size_t length, std::size_t sent) {
  return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n" +
         std::string(sent, 'x');
}

TEST_CASE("listener: simultaneous uploads wait for each other and all complete") {
  constexpr std::size_t bytes = 3'000'000;
  Limits limits;
  limits.buffer_bytes = 8u << 20;
  limits.body_bytes = 4u << 20;
  limits.body_time = 30s;  // a waiting upload may take longer
  EchoHandler handler;
  TestServer server(handler, limits);
  std::vector<std::thread> clients;
  std::atomic<int> good = 0;
  std::atomic<bool> is_over = false;
  std::size_t most = 0;
  for (int i = 0; i < 12; ++i) {
    clients.emplace_back([&] {
      RawSocket client = server.connect();
      client.send(upload(bytes, bytes));
      if (status_of(client.read_message()) == "200") ++good;
    });
  }
  std::thread watch([&] {
    for (; !is_over; std::this_thread::sleep_for(1ms)) most = std::max(most, BufferCharge::total());
  });
  for (std::thread& client : clients) client.join();
  is_over = true;
  watch.join();
  CHECK(good == 12);
  // The first pieces of all, and one whole upload; all whole uploads would be nine times as much.
  CHECK(most <= 3 * limits.buffer_bytes);
}

TEST_CASE("listener: a stalled upload does not block others") {
  Limits limits;
  limits.buffer_bytes = 6u << 20;
  limits.body_bytes = 4u << 20;
  EchoHandler handler;
  TestServer server(handler, limits);
  RawSocket standing = server.connect();
  standing.send(upload(3'000'000, 1'400'000));  // more than half of the buffers, and no more bytes follow
  RawSocket other = server.connect();
  other.send(upload(200'000, 200'000));
  CHECK(status_of(other.read_message()) == "200");
  standing.send(std::string(1'600'000, 'x'));
  CHECK(status_of(standing.read_message()) == "200");
}

TEST_CASE("listener: an upload without room is refused after the write time and not immediately") {
  Limits limits;
  limits.write_time = 400ms;
  limits.body_time = 100ms;  // while the server does not read it, it is not late
  EchoHandler handler;
  TestServer server(handler, limits);
  BufferCharge others(limits.buffer_bytes + 1);
  RawSocket client = server.connect();
  const auto began = std::chrono::steady_clock::now();
  client.send(upload(2'000'000, 2'000'000));
  CHECK(status_of(client.read_all()) == "503");
  CHECK(std::chrono::steady_clock::now() - began >= 350ms);
  CHECK(handler.handled == 0);
}

TEST_CASE("listener: a client that reads slowly but without a pause gets its whole response") {
  if (tests::needs_linux("POSIX does not tell how many bytes a client has received")) return;
  constexpr std::size_t bytes = 8u << 20;
  Limits limits;
  limits.write_time = 300ms;
  CallHandler handler([](const std::shared_ptr<Exchange>& exchange) {
    Response response;
    response.body.assign(bytes, 's');
    exchange->respond(std::move(response));
  });
  TestServer server(handler, limits);
  RawSocket client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int small = 32 * 1024;  // set before connecting, because the window grows with it
  ::setsockopt(client.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(client.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  client.send(get("/", "Connection: close\r\n"));
  // Reads so slowly that less than a third of the system's buffer is sent before the deadline.
  std::string taken;
  const auto until = std::chrono::steady_clock::now() + 4 * limits.write_time;
  while (std::chrono::steady_clock::now() < until && client.read_some(taken)) std::this_thread::sleep_for(20ms);
  CHECK(body_of(taken + client.read_all()).size() == bytes);
}

TEST_CASE("listener: a request waits while all buffers are in use and is finally refused") {
  Limits limits;
  limits.write_time = 300ms;
  EchoHandler handler;
  TestServer server(handler, limits);
  BufferCharge others(limits.buffer_bytes + 1);
  RawSocket refused = server.connect();
  refused.send(get("/refused"));
  CHECK(status_of(refused.read_all()) == "503");
  CHECK(handler.handled == 0);
  RawSocket patient = server.connect();
  patient.send(get("/patient") + get("/behind"));
  std::string early;
  CHECK_FALSE(patient.read_some(early, 100ms));
  others.set(0);
  CHECK(body_of(patient.read_message()) == "GET /patient []");
  CHECK(body_of(patient.read_message()) == "GET /behind []");
}

TEST_CASE("listener: slow clients keep no more of long responses in memory than the buffer limit") {
  struct Held {
    std::string body = std::string(8u << 20, 'h');
    std::string_view piece = body;
    BufferCharge charge{8u << 20};
  };
  std::atomic<int> handled = 0;
  CallHandler handler([&handled](const std::shared_ptr<Exchange>& exchange) {
    ++handled;
    const auto held = std::make_shared<Held>();
    exchange->respond(
        PreparedReply{"HTTP/1.1 200 OK\r\nContent-Length: 8388608\r\n", std::span(&held->piece, 1), held});
  });
  Limits limits;
  limits.buffer_bytes = 20u << 20;
  TestServer server(handler, limits);
  std::vector<RawSocket> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(server.connect());
    clients.back().send(get("/", "Connection: close\r\n"));
  }
  check_two_have_room(handled);
  CHECK(BufferCharge::total() <= limits.buffer_bytes);
  for (RawSocket& client : clients) CHECK(body_of(client.read_all()).size() == (8u << 20));
  CHECK(handled == 6);
}

TEST_CASE("listener: response bodies count against the buffers until clients have received them") {
  std::atomic<int> handled = 0;
  CallHandler handler([&handled](const std::shared_ptr<Exchange>& exchange) {
    ++handled;
    Response response;
    response.body = std::string(8u << 20, 'o');
    exchange->respond(std::move(response));
  });
  Limits limits;
  limits.buffer_bytes = 20u << 20;
  TestServer server(handler, limits);
  const std::size_t before = charges_at_rest();
  std::vector<RawSocket> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(server.connect());
    clients.back().send(get("/", "Connection: close\r\n"));
  }
  check_two_have_room(handled);
  CHECK(BufferCharge::total() - before >= (16u << 20));
  for (RawSocket& client : clients) CHECK(body_of(client.read_all()).size() == (8u << 20));
  CHECK(handled == 6);
  CHECK(BufferCharge::total() == before);
}

TEST_CASE("listener: keeps room for the longest response that is still pending") {
  std::atomic<int> handled = 0;
  std::atomic<bool> is_open = false;
  std::function<void(std::shared_ptr<Exchange>, std::shared_ptr<BufferCharge>)> wait =
      [&](const std::shared_ptr<Exchange>& exchange, const std::shared_ptr<BufferCharge>& charge) {
        if (is_open) return exchange->respond(Response{});
        exchange->after(20ms, [&wait, exchange, charge] { wait(exchange, charge); });
      };
  CallHandler handler([&](const std::shared_ptr<Exchange>& exchange) {
    ++handled;
    exchange->expect(8u << 20);
    wait(exchange, std::make_shared<BufferCharge>(8u << 20));
  });
  Limits limits;
  limits.buffer_bytes = 20u << 20;
  TestServer server(handler, limits);
  std::vector<RawSocket> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(server.connect());
    clients.back().send(get("/", "Connection: close\r\n"));
  }
  check_two_have_room(handled);
  is_open = true;
  for (RawSocket& client : clients) CHECK(status_of(client.read_all()) == "200");
  CHECK(handled == 4);
}

TEST_CASE("listener: clients that do not read their responses lose them to waiting requests") {
  CallHandler handler([](const std::shared_ptr<Exchange>& exchange) {
    Response response;
    if (exchange->request().target != "/small") response.body = std::string(10u << 20, 'l');
    exchange->respond(std::move(response));
  });
  for (const std::size_t loops : {1u, 2u}) {
    CAPTURE(loops);
    Limits limits;
    limits.buffer_bytes = 64u << 20;
    limits.write_time = 7500ms;
    TestServer server(handler, limits, loops);
    std::vector<RawSocket> greedy;
    for (int i = 0; i < 12; ++i) {
      greedy.push_back(server.connect());
      greedy.back().send(get("/long"));
    }
    // Reads steadily, but would need hours for its response.
    std::atomic<bool> stop = false;
    std::thread drip([&] {
      char byte = 0;
      while (!stop) {
        for (int i = 0; i < 10; ++i) (void)::recv(greedy[static_cast<std::size_t>(i)].fd(), &byte, 1, MSG_DONTWAIT);
        std::this_thread::sleep_for(50ms);
      }
    });
    std::this_thread::sleep_for(300ms);
    const auto begin = std::chrono::steady_clock::now();
    RawSocket good = server.connect();
    good.send(get("/small", "Connection: close\r\n"));
    CHECK(status_of(good.read_all(20s)) == "200");
    CHECK(std::chrono::steady_clock::now() - begin < 5s);
    stop = true;
    drip.join();
  }
}

TEST_CASE("listener: a client that reads steadily keeps its response while others wait") {
  if (tests::needs_linux("POSIX does not tell how many bytes a client has received")) return;
  CallHandler handler([](const std::shared_ptr<Exchange>& exchange) {
    Response response;
    response.body = std::string(12u << 20, 'l');
    exchange->respond(std::move(response));
  });
  Limits limits;
  limits.buffer_bytes = 20u << 20;
  limits.write_time = 7500ms;
  TestServer server(handler, limits);
  RawSocket steady = server.connect();
  steady.send(get("/", "Connection: close\r\n"));
  std::string taken;
  REQUIRE(steady.read_some(taken));
  RawSocket idle = server.connect();
  idle.send(get("/", "Connection: close\r\n"));
  const auto until = std::chrono::steady_clock::now() + 1500ms;
  while (std::chrono::steady_clock::now() < until && taken.size() < (10u << 20) && steady.read_some(taken)) {
    std::this_thread::sleep_for(25ms);
  }
  CHECK(body_of(taken + steady.read_all()).size() == (12u << 20));
  CHECK(body_of(idle.read_all()).size() == (12u << 20));
}

TEST_CASE("listener: survives a lack of descriptors") {
  EchoHandler handler;
  TestServer server(handler);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  RawSocket client(::socket(AF_INET, SOCK_STREAM, 0));
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(client.fd()) + 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::setrlimit(RLIMIT_NOFILE, &tight);
  const int connected = ::connect(client.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  client.send(get("/"));
  std::string none;
  client.read_some(none, 200ms);
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(connected == 0);
  CHECK(none.empty());
  CHECK(status_of(client.read_message()) == "200");
}

}  // namespace
}  // namespace tapedeck::http
