#include <catch2/catch.hpp>
#include <future>

#include "http/server/listener.h"
#include "tests/http/server_fixture.h"

namespace tapedeck::http {
namespace {

using namespace std::chrono_literals;
using testing::body_of;
using testing::CallHandler;
using testing::RawSocket;
using testing::TestServer;
using Clock = std::chrono::steady_clock;

constexpr const char* request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

CallHandler failing(ConnectionFault how, std::chrono::microseconds longest = 10s) {
  return CallHandler([how, longest](std::shared_ptr<Exchange> exchange) { exchange->fail(how, longest); });
}

TEST_CASE("connection faults: each one has its effect on the client") {
  SECTION("reset") {
    CallHandler handler = failing(ConnectionFault::reset);
    TestServer server(handler);
    RawSocket client = server.connect();
    client.send(request);
    CHECK(client.read_all().empty());
    CHECK(client.was_reset());
  }
  SECTION("close") {
    CallHandler handler = failing(ConnectionFault::close);
    TestServer server(handler);
    RawSocket client = server.connect();
    client.send(request);
    CHECK(client.read_all().empty());
    CHECK_FALSE(client.was_reset());
    CHECK_FALSE(client.timed_out());
  }
  SECTION("garbage") {
    CallHandler handler = failing(ConnectionFault::garbage);
    TestServer server(handler);
    RawSocket client = server.connect();
    client.send(request);
    const std::string answer = client.read_all();
    CHECK(answer.find("This is no HTTP.") != std::string::npos);
    CHECK_FALSE(answer.starts_with("HTTP/"));
    CHECK_FALSE(client.timed_out());
  }
  SECTION("hang, until the client ends its side") {
    CallHandler handler = failing(ConnectionFault::hang);
    TestServer server(handler);
    RawSocket client = server.connect();
    client.send(request);
    std::string answer;
    CHECK_FALSE(client.read_some(answer, 200ms));
    CHECK(client.timed_out());
    client.end_output();
    const auto start = Clock::now();
    CHECK(client.read_all().empty());
    CHECK(Clock::now() - start < 5s);
  }
  SECTION("hang, as long as it may") {
    CallHandler handler = failing(ConnectionFault::hang, 100ms);
    TestServer server(handler);
    RawSocket client = server.connect();
    client.send(request);
    CHECK(client.read_all().empty());
    CHECK_FALSE(client.timed_out());
  }
}

TEST_CASE("connection faults: earlier responses on the same connection are sent") {
  for (const ConnectionFault how : {ConnectionFault::close, ConnectionFault::garbage, ConnectionFault::hang}) {
    int count = 0;
    CallHandler handler([&](std::shared_ptr<Exchange> exchange) {
      Response response;
      response.body = "first";
      ++count == 1 ? exchange->respond(std::move(response)) : exchange->fail(how, 100ms);
    });
    TestServer server(handler);
    RawSocket client = server.connect();
    std::string three;
    for (int i = 0; i < 3; ++i) three += request;
    client.send(three);
    CHECK(body_of(client.read_message()) == "first");
    (void)client.read_all();
    CHECK_FALSE(client.timed_out());
    CHECK(count == 2);
  }
}

/// Responds with "late" after the delay.
CallHandler late(std::chrono::microseconds delay) {
  return CallHandler([delay](std::shared_ptr<Exchange> exchange) {
    exchange->after(delay, [exchange] {
      Response response;
      response.body = "late";
      exchange->respond(std::move(response));
    });
  });
}

TEST_CASE("connection faults: many delayed responses wait without a thread") {
  CallHandler handler = late(300ms);
  TestServer server(handler);
  std::vector<RawSocket> clients;
  const auto start = Clock::now();
  for (int i = 0; i < 200; ++i) {
    clients.push_back(server.connect());
    clients.back().send(request);
  }
  for (RawSocket& client : clients) CHECK(body_of(client.read_message()) == "late");
  const auto took = Clock::now() - start;
  CHECK(took >= 300ms);
  CHECK(took < 10s);
  // The connection can still be used.
  clients[0].send(request);
  CHECK(body_of(clients[0].read_message()) == "late");
}

TEST_CASE("connection faults: a client that disconnects cancels its delayed response") {
  auto alive = std::make_shared<int>(0);
  std::promise<void> asked;
  CallHandler handler([&](std::shared_ptr<Exchange> exchange) {
    exchange->after(1h, [exchange, alive] { exchange->abort(); });
    asked.set_value();
  });
  TestServer server(handler);
  {
    RawSocket client = server.connect();
    client.send(request);
    asked.get_future().wait();
    CHECK(alive.use_count() == 2);
    client.reset();
  }
  for (int i = 0; i < 500 && alive.use_count() > 1; ++i) std::this_thread::sleep_for(10ms);
  CHECK(alive.use_count() == 1);
}

TEST_CASE("connection faults: shutdown ends delayed responses immediately") {
  for (const bool hangs : {false, true}) {
    std::promise<void> asked;
    CallHandler handler([&](std::shared_ptr<Exchange> exchange) {
      if (hangs) {
        exchange->fail(ConnectionFault::hang, 1h);
      } else {
        exchange->after(1h, [exchange] { exchange->abort(); });
      }
      asked.set_value();
    });
    TestServer server(handler);
    RawSocket client = server.connect();
    client.send(request);
    asked.get_future().wait();
    std::promise<void> closed;
    const auto start = Clock::now();
    server.listener().shut_down(1min, [&] { closed.set_value(); });
    REQUIRE(closed.get_future().wait_for(10s) == std::future_status::ready);
    CHECK(Clock::now() - start < 5s);
    CHECK(client.read_all().empty());
  }
}

}  // namespace
}  // namespace tapedeck::http
