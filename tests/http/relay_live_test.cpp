// Tests live streams, long uploads, and devices that are slow but make progress.

#include <catch2/catch.hpp>
#include <future>

#include "http/device/relay.h"
#include "tests/http/relay_fixture.h"
#include "tests/support/needs_linux.h"

namespace tapedeck::http {
namespace {

using namespace std::chrono_literals;
using testing::body_of;
using testing::chunk;
using testing::FakeDevice;
using testing::RawSocket;
using testing::status_of;
using testing::TestProxy;
using Clock = std::chrono::steady_clock;

const std::string live_request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string events_head =
    "HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Waits until the other side has closed.
bool closed_within(RawSocket& socket, std::chrono::milliseconds patience) {
  std::string rest;
  const auto until = Clock::now() + patience;
  while (Clock::now() < until) {
    if (!socket.read_some(rest, patience)) return !socket.timed_out();
  }
  return false;
}

/// A step that waits until the test allows it.
class Gate {
 public:
  void open() { promise_.set_value(); }
  void wait() { (void)future_.wait_for(10s); }

 private:
  std::promise<void> promise_;
  std::future<void> future_ = promise_.get_future();
};

TEST_CASE("relay live: an event is sent immediately, and the last chunk after the commit") {
  Gate second, end;
  FakeDevice device([&](RawSocket& socket, int) {
    (void)socket.read_message();
    socket.send(events_head + chunk("data: 1\n\n"));
    second.wait();
    socket.send(chunk("data: 2\n\n"));
    end.wait();
    socket.send("0\r\n\r\n");
  });
  TestProxy proxy(device.port());
  proxy.keeper().waits = true;
  RawSocket client = proxy.connect();
  client.send(live_request);
  CHECK(status_of(client.read_until("\r\n\r\n")) == "200");
  CHECK(client.read_until("\n\n\r\n") == chunk("data: 1\n\n"));
  second.open();
  CHECK(client.read_until("\n\n\r\n") == chunk("data: 2\n\n"));
  CHECK_FALSE(client.timed_out());
  end.open();
  const Relayed story = proxy.keeper().next();
  std::string early;
  CHECK_FALSE(client.read_some(early, 100ms));
  proxy.keeper().commit();
  CHECK(client.read_bytes(5) == "0\r\n\r\n");
  CHECK(story.ending == Ending::whole);
  CHECK(story.response.body == "data: 1\n\ndata: 2\n\n");
  REQUIRE(story.pieces.size() == 2);
  CHECK(story.pieces[0].end == 9);
  CHECK(story.pieces[1].end == 18);
  CHECK(story.pieces[0].at >= story.first_byte);
  CHECK(story.pieces[1].at > story.pieces[0].at);
}

TEST_CASE("relay live: with a known length, only the last byte waits for the commit (recorder.h, 1)") {
  FakeDevice device([](RawSocket& socket, int) {
    (void)socket.read_message();
    socket.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcde");
    std::this_thread::sleep_for(200ms);
    socket.send("fghij");
  });
  RelayOptions options;
  options.hold_time = 50ms;
  TestProxy proxy(device.port(), options);
  proxy.keeper().waits = true;
  RawSocket client = proxy.connect();
  client.send(live_request);
  (void)client.read_until("\r\n\r\n");
  CHECK(client.read_bytes(9) == "abcdefghi");
  CHECK(proxy.keeper().next().ending == Ending::whole);
  std::string early;
  CHECK_FALSE(client.read_some(early, 100ms));
  proxy.keeper().commit();
  CHECK(client.read_bytes(1) == "j");
}

TEST_CASE("relay live: a client that disconnects ends an event stream at the device, too") {
  for (const bool goes : {true, false}) {
    CAPTURE(goes);
    std::promise<bool> closed;
    FakeDevice device([&](RawSocket& socket, int) {
      (void)socket.read_message();
      socket.send(events_head + chunk("data: 1\n\n"));
      closed.set_value(closed_within(socket, 5s));
    });
    TestProxy proxy(device.port());
    RawSocket client = proxy.connect();
    client.send(live_request);
    (void)client.read_until("\n\n\r\n");
    if (goes) {
      client.close();
    } else {
      client.end_output();
      CHECK(client.read_all() == "0\r\n\r\n");
    }
    const Relayed story = proxy.keeper().next();
    CHECK(story.ending == Ending::ended_by_client);
    CHECK(story.detail.empty());
    CHECK(story.response.body == "data: 1\n\n");
    CHECK(closed.get_future().get());
  }
}

TEST_CASE("relay live: a client that disconnects does not cut a response of known length") {
  Gate gone;
  FakeDevice device([&](RawSocket& socket, int) {
    (void)socket.read_message();
    socket.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcde");
    gone.wait();
    std::this_thread::sleep_for(50ms);
    socket.send("fghij");
  });
  RelayOptions options;
  options.hold_time = 20ms;
  TestProxy proxy(device.port(), options);
  RawSocket client = proxy.connect();
  client.send(live_request);
  (void)client.read_until("abcde");
  client.reset();
  gone.open();
  const Relayed story = proxy.keeper().next();
  CHECK(story.ending == Ending::whole);
  CHECK(story.response.body == "abcdefghij");
}

TEST_CASE("relay live: a response with progress has no time limit") {
  RelayOptions options;
  options.limits.first_byte_time = options.limits.stall_time = options.limits.answer_time = 1500ms;
  const std::string body(60, 'x');
  FakeDevice device([&](RawSocket& socket, int) {
    (void)socket.read_message();
    socket.send("HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n");
    for (std::size_t i = 0; i < body.size(); ++i) {
      socket.send("x");
      std::this_thread::sleep_for(40ms);
    }
  });
  TestProxy proxy(device.port(), options);
  CHECK(body_of(proxy.ask()) == body);
  CHECK(proxy.keeper().next().ending == Ending::whole);
}

TEST_CASE("relay live: waits for a device that reads an upload slowly") {
  if (tests::needs_linux("POSIX does not tell how many bytes a device has received")) return;
  RelayOptions options;
  options.limits.first_byte_time = options.limits.stall_time = 1500ms;
  const std::string body(1'500'000, 'u');
  FakeDevice device([&](RawSocket& socket, int) {
    const int small = 16 * 1024;
    ::setsockopt(socket.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    std::size_t got = socket.read_until("\r\n\r\n").size() * 0;
    while (got < body.size()) {
      got += socket.read_bytes(std::min<std::size_t>(30'000, body.size() - got)).size();
      std::this_thread::sleep_for(40ms);
    }
    socket.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  TestProxy proxy(device.port(), options);
  RawSocket client = proxy.connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  const auto began = Clock::now();
  CHECK(status_of(client.read_message()) == "200");
  CHECK(Clock::now() - began > options.limits.first_byte_time);
}

TEST_CASE("relay live: a client that sends slowly has no time limit") {
  RelayOptions options;
  options.limits.body_time = 1000ms;
  FakeDevice device(testing::once("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  TestProxy proxy(device.port(), options);
  RawSocket client = proxy.connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n");
  for (int i = 0; i < 30; ++i) {
    std::this_thread::sleep_for(50ms);
    client.send("x");
  }
  CHECK(status_of(client.read_message()) == "200");
}

TEST_CASE("relay live: a body over the limit is streamed to the device with the client's framing") {
  const std::string piece(100'000, 'p');
  for (const bool chunked : {false, true}) {
    CAPTURE(chunked);
    std::promise<void> begun;
    std::string head, body;
    FakeDevice device([&](RawSocket& socket, int ordinal) {
      if (ordinal > 0) return testing::once("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")(socket, ordinal);
      head = socket.read_until("\r\n\r\n");
      (void)socket.read_until("ppp");
      begun.set_value();
      body = chunked ? socket.read_until("\r\n0\r\n\r\n") : socket.read_bytes(piece.size() * 30 - 3);
      socket.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
    RelayOptions options;
    options.limits.body_bytes = 150'000;
    TestProxy proxy(device.port(), options);
    RawSocket client = proxy.connect();
    client.send("POST / HTTP/1.1\r\nHost: a\r\n" +
                (chunked ? "Transfer-Encoding: chunked\r\n\r\n"
                         : "Content-Length: " + std::to_string(piece.size() * 30) + "\r\n\r\n"));
    const std::string sent = chunked ? chunk(piece) : piece;
    client.send(sent + sent);
    CHECK(begun.get_future().wait_for(10s) == std::future_status::ready);
    for (int i = 0; i < 28; ++i) client.send(sent);
    if (chunked) client.send("0\r\n\r\n");
    CHECK(status_of(client.read_message()) == "200");
    CHECK(static_cast<std::size_t>(std::count(body.begin(), body.end(), 'p')) == piece.size() * 30 - 3);
    CHECK((head.find("Transfer-Encoding: chunked\r\n") != std::string::npos) == chunked);
    CHECK((head.find("Content-Length: 3000000\r\n") != std::string::npos) == !chunked);
    CHECK(proxy.keeper().next().ending == Ending::whole);
    client.send(live_request);  // the connection can still be used
    CHECK(body_of(client.read_message()) == "ok");
  }
}

TEST_CASE("relay live: a client that disconnects during a long upload ends it at the device") {
  std::promise<bool> closed;
  FakeDevice device([&](RawSocket& socket, int) {
    (void)socket.read_until("\r\n\r\nuuu");
    closed.set_value(closed_within(socket, 5s));
  });
  RelayOptions options;
  options.limits.body_bytes = 1000;
  TestProxy proxy(device.port(), options);
  RawSocket client = proxy.connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + std::string(5000, 'u'));
  std::this_thread::sleep_for(100ms);
  client.close();
  const Relayed story = proxy.keeper().next();
  CHECK(story.ending == Ending::cut);
  CHECK(story.detail == "the client disconnected before its request was complete");
  CHECK(closed.get_future().get());
}

TEST_CASE("relay live: a device may refuse a long upload before its end") {
  FakeDevice device([](RawSocket& socket, int) {
    (void)socket.read_until("\r\n\r\n");
    socket.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig");
    ::shutdown(socket.fd(), SHUT_WR);
    std::string rest;
    while (socket.read_some(rest)) rest.clear();
  });
  RelayOptions options;
  options.limits.body_bytes = 1000;
  TestProxy proxy(device.port(), options);
  RawSocket client = proxy.connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n" + std::string(1'000'000, 'u'));
  const std::string answer = client.read_message();
  CHECK(status_of(answer) == "413");
  CHECK(body_of(answer) == "big");
  CHECK(answer.find("Connection: close\r\n") != std::string::npos);
}

TEST_CASE("relay live: a receipt is released once, at the latest with its last owner") {
  int released = 0;
  {
    Receipt first([&released] { ++released; });
    Receipt second(std::move(first));
    first.give();
    CHECK(released == 0);
    Receipt third;
    third = std::move(second);
  }
  CHECK(released == 1);
  Receipt given([&released] { ++released; });
  given.give();
  given.give();
  CHECK(released == 2);
}

TEST_CASE("relay live: buffers are charged and released") {
  const std::size_t before = BufferCharge::total();
  const std::string body(4u << 20, 'c');
  std::promise<void> seen;
  FakeDevice device([&body, looked = seen.get_future().share()](RawSocket& socket, int) {
    (void)socket.read_until("\r\n\r\n");
    socket.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                body.substr(0, 3u << 20));
    looked.wait_for(20s);  // then the client disconnects in the middle
  });
  {
    TestProxy proxy(device.port());
    RawSocket client = proxy.connect();
    client.send(live_request);
    std::size_t most = 0;
    const auto until = Clock::now() + 10s;
    while (Clock::now() < until && most < (3u << 20)) {
      most = std::max(most, BufferCharge::total() - before);
      std::this_thread::sleep_for(1ms);
    }
    CHECK(most >= (3u << 20));
    CHECK(most <= (8u << 20));
    seen.set_value();
    (void)client.read_all();
  }
  CHECK(BufferCharge::total() <= before);
}

TEST_CASE("relay live: the head of a response is charged with its headers") {
  const std::size_t before = BufferCharge::total();
  std::string lines;
  for (int i = 0; i < 900; ++i) lines += "a:\r\n";
  std::promise<void> seen;
  FakeDevice device([&lines, looked = seen.get_future().share()](RawSocket& socket, int) {
    (void)socket.read_until("\r\n\r\n");
    socket.send("HTTP/1.1 200 OK\r\n" + lines + "Content-Length: 2\r\n\r\no");
    looked.wait_for(20s);
  });
  {
    TestProxy proxy(device.port());
    RawSocket client = proxy.connect();
    client.send(live_request);
    const std::size_t expected = before + 900 * sizeof(Header);
    const auto until = Clock::now() + 10s;
    while (Clock::now() < until && BufferCharge::total() < expected) std::this_thread::sleep_for(1ms);
    CHECK(BufferCharge::total() >= expected);
    seen.set_value();
    (void)client.read_all();
  }
  CHECK(BufferCharge::total() <= before);
}

}  // namespace
}  // namespace tapedeck::http
