#include "http/device/relay.h"

#include <catch2/catch.hpp>
#include <future>

#include "tests/http/relay_fixture.h"

namespace tapedeck::http {
namespace {

using namespace std::chrono_literals;
using testing::always;
using testing::body_of;
using testing::chunk;
using testing::FakeDevice;
using testing::once;
using testing::RawSocket;
using testing::status_of;
using testing::TestProxy;

const std::string gzip_like("\x1f\x8b\x08\0\xff\r\n\r\n", 9);

/// Returns the body of a chunked or plain response as a client reads it, or "-" for a chunked body without an end.
std::string decoded(const std::string& answer) {
  std::string rest = body_of(answer);
  if (answer.find("Transfer-Encoding: chunked") == std::string::npos) return rest;
  std::string body;
  for (;;) {
    const std::size_t size = std::stoul("0" + rest.substr(0, rest.find("\r\n")), nullptr, 16);
    if (rest.find("\r\n") == std::string::npos) return body + "-";
    if (size == 0) return body;
    body += rest.substr(rest.find("\r\n") + 2, size);
    rest.erase(0, std::min(rest.size(), rest.find("\r\n") + 2 + size + 2));
  }
}

TEST_CASE("relay: complete responses keep their bytes with any framing") {
  const struct {
    std::string answer, body;
  } rows[] = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""},
      {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\n" + gzip_like, gzip_like},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk("he") + chunk("llo") + "0\r\n\r\n", "hello"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(gzip_like) + "0\r\nX-Sum: 1\r\n\r\n", gzip_like},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n005  \r\nhello\r\n2;a=b \r\n, \r\n0\t\r\n\r\n", "hello, "},
      {"HTTP/1.1 200 OK\r\n\r\nuntil close", "until close"},
      {"HTTP/1.0 200 OK\r\n\r\nold", "old"},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: "
       "2\r\n\r\nok",
       "ok"},
      {"HTTP/1.1 404 Nothing Here\r\nContent-Length: 4\r\n\r\ngone", "gone"},
      {"HTTP/1.1 204 No Content\r\n\r\n", ""},
      {"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.answer);
    FakeDevice device(once(row.answer));
    TestProxy proxy(device.port());
    const std::string answer = proxy.ask();
    const Relayed story = proxy.keeper().next();
    CHECK(decoded(answer) == row.body);
    CHECK(answer.find("X-Rewritten: yes\r\n") != std::string::npos);
    CHECK(story.ending == Ending::whole);
    CHECK(story.has_head);
    CHECK(story.response.body == row.body);
    CHECK(story.body_bytes == row.body.size());
    CHECK(status_of(answer) == std::to_string(story.response.status));
    CHECK(answer.find(" " + story.response.reason + "\r\n") != std::string::npos);
  }
}

/// Returns "Name: value" for each header that the client received, except those of the listener.
std::string lines_of(const std::string& answer) {
  const std::size_t begin = answer.find("\r\n") + 2;
  Headers headers = Headers::from_text(answer.substr(begin, answer.find("\r\n\r\n") + 2 - begin));
  for (const char* own : {"X-Rewritten", "Content-Length", "Connection"}) headers.erase(own);
  return headers.to_text();
}

TEST_CASE("relay: an unusual but unambiguous response is normalized and passed on") {
  std::string many;
  for (int i = 0; i < 400; ++i) many += "X-" + std::to_string(i) + ": v\r\n";
  const struct {
    std::string answer, first_line, lines, body;
  } rows[] = {
      {"HTTP/1.1 301\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 301 ", "", "ok"},
      {"HTTP/1.1 301 \r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 301 ", "", "ok"},
      {"HTTP/1.0 200\r\n\r\nold", "HTTP/1.1 200 ", "", "old"},
      {"HTTP/1.1 200 All\tfine\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 All\tfine", "", ""},
      {"\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK", "", "ok"},
      {"HTTP/1.1 100 Continue\r\n\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK", "", "ok"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\nok", "HTTP/1.1 200 OK", "", "ok"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok", "HTTP/1.1 200 OK", "", "ok"},
      {"HTTP/1.1 200 OK\r\nX: a \r\n \t b\r\n\tc\r\nY: d\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK",
       "X: a b c\r\nY: d\r\n", "ok"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "HTTP/1.1 200 OK", "", "ok"},
      {"HTTP/1.1 200 OK\r\nX : a\r\nY \t:b\r\nContent-Length : 2\r\n\r\nok", "HTTP/1.1 200 OK", "X: a\r\nY: b\r\n",
       "ok"},
      {"HTTP/1.1 200 OK\r\n" + many + "Content-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK", many, "ok"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.answer.substr(0, 200));
    // Sends it in one piece and then byte by byte.
    FakeDevice device([&row](RawSocket& socket, int ordinal) {
      if (socket.read_message().empty()) return;
      if (ordinal == 0) socket.send(row.answer);
      for (std::size_t i = 0; ordinal > 0 && i < row.answer.size(); ++i) socket.send(row.answer.substr(i, 1));
    });
    TestProxy proxy(device.port());
    for (int i = 0; i < 2; ++i) {
      const std::string answer = proxy.ask();
      CHECK(answer.substr(0, answer.find("\r\n")) == row.first_line);
      CHECK(lines_of(answer) == row.lines);
      CHECK(decoded(answer) == row.body);
      CHECK(proxy.keeper().next().ending == Ending::whole);
    }
  }
}

TEST_CASE("relay: the device gets the client's request with Tapedeck's framing and Host") {
  std::string seen;
  FakeDevice device([&seen](RawSocket& socket, int) {
    seen = socket.read_message();
    socket.send(
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\n\r\n");
  });
  TestProxy proxy(device.port());
  RawSocket client = proxy.connect();
  client.send(
      "POST /webapi/entry.cgi?a=%20b HTTP/1.1\r\nHost: localhost:8080\r\nAccept-Encoding: gzip\r\n"
      "Connection: close, X-Mine\r\nX-Mine: 1\r\nTE: trailers\r\nUpgrade: h2c\r\nProxy-Authorization: made-up\r\n"
      "X-Bytes: \xff%41\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
  const std::string answer = client.read_all();
  CHECK(seen == "POST /webapi/entry.cgi?a=%20b HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(device.port()) +
                    "\r\nAccept-Encoding: gzip\r\nX-Bytes: \xff%41\r\nContent-Length: 5\r\n\r\nhello");
  CHECK(answer.find("X-Hop") == std::string::npos);
  CHECK(answer.find("Keep-Alive") == std::string::npos);
  CHECK(proxy.keeper().next().ending == Ending::whole);
}

TEST_CASE("relay: keeps connections to the device and reuses them") {
  FakeDevice device(always("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  TestProxy proxy(device.port());
  for (int i = 0; i < 10; ++i) CHECK(body_of(proxy.ask()) == "ok");
  CHECK(device.connections() == 1);
}

TEST_CASE("relay: a response to HEAD has its length and no body") {
  FakeDevice device(always("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n"));
  TestProxy proxy(device.port());
  RawSocket client = proxy.connect();
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(client.read_until("\r\n\r\n").find("Content-Length: 1234\r\n") != std::string::npos);
  CHECK(proxy.keeper().next().ending == Ending::whole);
}

TEST_CASE("relay: repeats a read on a stale connection, but not a write") {
  // The device reads the second request of its first connection and closes without a response.
  const auto serve = [](RawSocket& socket, int ordinal) {
    for (int i = 0; !socket.read_message().empty(); ++i) {
      if (ordinal == 0 && i == 1) return;
      socket.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }
  };
  {
    FakeDevice device(serve);
    TestProxy proxy(device.port());
    CHECK(status_of(proxy.ask()) == "200");
    CHECK(status_of(proxy.ask()) == "200");
    CHECK(device.connections() == 2);
  }
  FakeDevice device(serve);
  TestProxy proxy(device.port());
  CHECK(status_of(proxy.ask()) == "200");
  CHECK(proxy.keeper().next().ending == Ending::whole);
  RawSocket client = proxy.connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  CHECK(status_of(client.read_message()) == "502");
  CHECK(proxy.keeper().next().ending == Ending::unreachable);
  CHECK(device.connections() == 1);
}

TEST_CASE("relay: a response waits until it is committed (recorder.h, 1)") {
  FakeDevice device(once("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
  TestProxy proxy(device.port());
  proxy.keeper().waits = true;
  RawSocket client = proxy.connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  (void)proxy.keeper().next();
  std::string early;
  CHECK_FALSE(client.read_some(early, 100ms));
  CHECK(early.empty());
  proxy.keeper().commit();
  CHECK(body_of(client.read_message()) == "hello");
  CHECK(proxy.keeper().overdue == 0);
}

TEST_CASE("relay: a late commit does not keep the client waiting (recorder.h, 1)") {
  FakeDevice device(always("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
  RelayOptions options;
  options.commit_time = 100ms;
  TestProxy proxy(device.port(), options);
  proxy.keeper().waits = true;
  CHECK(body_of(proxy.ask()) == "hello");
  CHECK(proxy.keeper().overdue == 1);
  proxy.keeper().commit();  // too late, without effect
  proxy.keeper().waits = false;
  CHECK(body_of(proxy.ask()) == "hello");
  CHECK(proxy.keeper().overdue == 1);
}

TEST_CASE("relay: a response that exceeds the hold time is passed on live except for its end") {
  std::promise<void> go_on;
  auto waits = go_on.get_future().share();
  FakeDevice device([waits](RawSocket& socket, int) {
    (void)socket.read_message();
    socket.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(std::string(5000, 'a')));
    waits.wait();
    socket.send(chunk("the end") + "0\r\n\r\n");
  });
  RelayOptions options;
  options.hold_time = 100ms;
  TestProxy proxy(device.port(), options);
  proxy.keeper().waits = true;
  RawSocket client = proxy.connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  std::string answer;
  while (answer.find("aaaa") == std::string::npos && client.read_some(answer)) continue;
  go_on.set_value();
  const Relayed story = proxy.keeper().next();
  while (client.read_some(answer, 100ms)) continue;
  CHECK(answer.ends_with("the end\r\n"));  // and without the last chunk
  proxy.keeper().commit();
  answer += client.read_all();
  CHECK(decoded(answer) == std::string(5000, 'a') + "the end");
  CHECK(story.ending == Ending::whole);
  CHECK(story.response.body.size() == 5007);
}

TEST_CASE("relay: a response over the limit is passed on as a whole and not kept") {
  const std::string body(3u << 20, 'z');
  FakeDevice device(once("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body));
  RelayOptions options;
  options.limits.max_body = 1u << 20;
  TestProxy proxy(device.port(), options);
  const std::string answer = proxy.ask();
  CHECK(body_of(answer) == body);
  CHECK(answer.find("Content-Length: " + std::to_string(body.size())) != std::string::npos);
  const Relayed story = proxy.keeper().next();
  CHECK(story.ending == Ending::too_long);
  CHECK(story.response.body.empty());
  CHECK(story.body_bytes == body.size());
}

TEST_CASE("relay: the connection can be reused after a live response") {
  const std::string body(3u << 20, 'z');
  FakeDevice device([&body](RawSocket& socket, int) {
    while (!socket.read_message().empty()) {
      socket.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    }
  });
  RelayOptions options;
  options.limits.max_body = 1u << 20;
  TestProxy proxy(device.port(), options);
  for (int i = 0; i < 3; ++i) {
    CHECK(body_of(proxy.ask()) == body);
    CHECK(proxy.keeper().next().ending == Ending::too_long);
  }
  CHECK(device.connections() == 1);
}

TEST_CASE("relay: a slow client slows the device down and loses nothing") {
  const std::string body(24u << 20, 'q');
  FakeDevice device(once("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body));
  RelayOptions options;
  options.limits.max_body = 1u << 20;
  TestProxy proxy(device.port(), options);
  RawSocket client = proxy.connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  std::string answer = client.read_until("\r\n\r\n");
  std::this_thread::sleep_for(100ms);  // the relay fills its buffers and then stops reading
  CHECK(BufferCharge::total() < (8u << 20));
  answer += client.read_bytes(body.size());
  CHECK(body_of(answer) == body);
}

TEST_CASE("relay: a client that disconnects does not lose the recording") {
  std::promise<void> go_on;
  auto waits = go_on.get_future().share();
  FakeDevice device([waits](RawSocket& socket, int) {
    (void)socket.read_message();
    socket.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
    waits.wait();
    socket.send("again");
  });
  TestProxy proxy(device.port());
  RawSocket client = proxy.connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  client.reset();
  go_on.set_value();
  const Relayed story = proxy.keeper().next();
  CHECK(story.ending == Ending::whole);
  CHECK(story.response.body == "helloagain");
}

TEST_CASE("relay: simultaneous clients get their own responses") {
  FakeDevice device([](RawSocket& socket, int) {
    for (std::string request = socket.read_message(); !request.empty(); request = socket.read_message()) {
      const std::string target = request.substr(4, request.find(' ', 4) - 4);
      socket.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(target.size()) + "\r\n\r\n" + target);
    }
  });
  TestProxy proxy(device.port());
  std::vector<std::thread> clients;
  std::atomic<int> right = 0;
  for (int c = 0; c < 8; ++c) {
    clients.emplace_back([&proxy, &right, c] {
      RawSocket client = proxy.connect();
      for (int i = 0; i < 50; ++i) {
        const std::string target = "/" + std::to_string(c) + "/" + std::to_string(i);
        client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
        if (body_of(client.read_message()) == target) ++right;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  CHECK(right == 400);
  CHECK(device.connections() <= 8);
}

}  // namespace
}  // namespace tapedeck::http
