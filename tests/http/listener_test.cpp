#include "http/server/listener.h"

#include <catch2/catch.hpp>
#include <future>

#include "tests/http/server_fixture.h"
#include "tests/support/needs.h"

namespace tapedeck::http {
namespace {

using namespace std::chrono_literals;
using testing::body_of;
using testing::CallHandler;
using testing::EchoHandler;
using testing::get;
using testing::Loops;
using testing::RawSocket;
using testing::status_of;
using testing::TestServer;

TEST_CASE("listener: a keep-alive connection handles one request after another") {
  EchoHandler handler;
  TestServer server(handler);
  RawSocket client = server.connect();
  for (int i = 0; i < 20; ++i) {
    client.send(get("/" + std::to_string(i)));
    CHECK(body_of(client.read_message()) == "GET /" + std::to_string(i) + " []");
  }
  CHECK(server.listener().stats().connections == 1);
  CHECK(server.listener().stats().requests == 20);
}

TEST_CASE("listener: pipelined requests get their responses in order") {
  EchoHandler handler;
  TestServer server(handler, {}, 2);
  RawSocket client = server.connect();
  std::string requests;
  for (int i = 0; i < 500; ++i) {
    requests += i % 3 == 0 ? "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxy"
                           : get("/" + std::to_string(i));
  }
  client.send(requests);
  for (int i = 0; i < 500; ++i) {
    const std::string number = std::to_string(i);
    CHECK(body_of(client.read_message()) == (i % 3 == 0 ? "POST /" + number + " [xy]" : "GET /" + number + " []"));
  }
}

TEST_CASE("listener: pipelined requests wait for a late response") {
  std::vector<std::shared_ptr<Exchange>> kept;
  CallHandler handler([&kept](std::shared_ptr<Exchange> exchange) {
    kept.push_back(exchange);
    Exchange& late = *exchange;
    late.post([exchange = std::move(exchange)] {
      Response response;
      response.body = exchange->request().target;
      exchange->respond(std::move(response));
      CHECK_FALSE(exchange->gone());
    });
  });
  TestServer server(handler);
  RawSocket client = server.connect();
  client.send(get("/1") + get("/2") + get("/3"));
  for (const char* expected : {"/1", "/2", "/3"}) CHECK(body_of(client.read_message()) == expected);
}

TEST_CASE("listener: a client that has closed its side gets all its responses") {
  const std::string large(8u << 20, 'L');
  const auto respond = [&large](Exchange& exchange) {
    Response response;
    response.body = exchange.request().target == "/large" ? large : exchange.request().target;
    exchange.respond(std::move(response));
  };
  CallHandler at_once([&respond](const std::shared_ptr<Exchange>& exchange) { respond(*exchange); });
  CallHandler later([&respond](std::shared_ptr<Exchange> exchange) {
    Exchange& late = *exchange;
    late.post([exchange = std::move(exchange), &respond] { respond(*exchange); });
  });
  CallHandler much_later([&respond](std::shared_ptr<Exchange> exchange) {
    std::thread([exchange = std::move(exchange), &respond]() mutable {
      std::this_thread::sleep_for(20ms);
      Exchange& late = *exchange;
      late.post([exchange = std::move(exchange), &respond] { respond(*exchange); });
    }).detach();
  });
  for (Handler* const handler :
       {static_cast<Handler*>(&at_once), static_cast<Handler*>(&later), static_cast<Handler*>(&much_later)}) {
    TestServer server(*handler);
    for (const std::string rest :
         {"", "GET /cut HTTP/1.1\r\nHos", "POST /cut HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nx"}) {
      RawSocket client = server.connect();
      client.send(get("/1") + get("/large") + get("/3") + rest);
      client.end_output();
      for (const std::string& expected : {std::string("/1"), large, std::string("/3")}) {
        const bool is_there = body_of(client.read_message()) == expected;
        CHECK(is_there);
      }
      CHECK(client.read_all().empty());
      CHECK_FALSE(client.timed_out());
      CHECK_FALSE(client.was_reset());
    }
  }
}

TEST_CASE("listener: keep-alive depends on the client's version and Connection header") {
  const struct {
    std::string request;
    bool closes;
    std::string connection;
  } rows[] = {
      {get("/"), false, ""},
      {get("/", "Connection: close\r\n"), true, "Connection: close\r\n"},
      {get("/", "Connection: TE , Close\r\n"), true, "Connection: close\r\n"},
      {"GET / HTTP/1.0\r\n\r\n", true, "Connection: close\r\n"},
      {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", false, "Connection: keep-alive\r\n"},
  };
  EchoHandler handler;
  TestServer server(handler);
  for (const auto& row : rows) {
    CAPTURE(row.request);
    RawSocket client = server.connect();
    client.send(row.request);
    const std::string answer = client.read_message();
    CHECK(status_of(answer) == "200");
    CHECK((answer.find("Connection: ") == std::string::npos) == row.connection.empty());
    CHECK(answer.find(row.connection) != std::string::npos);
    std::string more;
    if (row.closes) {
      CHECK_FALSE(client.read_some(more));
      CHECK_FALSE(client.timed_out());
    } else {
      client.send(get("/again"));
      CHECK(body_of(client.read_message()) == "GET /again []");
    }
  }
}

TEST_CASE("listener: HEAD gets the length and no body") {
  CallHandler handler([](std::shared_ptr<Exchange> exchange) {
    Response response;
    if (exchange->request().target == "/given") {
      response.headers.add("Content-Length", "1234");
    } else {
      response.body = "12345";
    }
    exchange->respond(std::move(response));
  });
  TestServer server(handler);
  RawSocket client = server.connect();
  client.send("HEAD /given HTTP/1.1\r\nHost: a\r\n\r\nHEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + get("/"));
  CHECK(client.read_until("\r\n\r\n").find("Content-Length: 1234\r\n") != std::string::npos);
  CHECK(client.read_until("\r\n\r\n").find("Content-Length: 5\r\n") != std::string::npos);
  CHECK(body_of(client.read_message()) == "12345");
}

TEST_CASE("listener: a status without a body has no Content-Length") {
  CallHandler handler([](std::shared_ptr<Exchange> exchange) {
    Response response;
    response.status = exchange->request().target == "/204" ? 204 : 304;
    response.body = "not sent";
    exchange->respond(std::move(response));
  });
  TestServer server(handler);
  RawSocket client = server.connect();
  client.send(get("/204") + get("/304"));
  for (int i = 0; i < 2; ++i) {
    CHECK(client.read_until("\r\n\r\n").find("Content-Length") == std::string::npos);
  }
}

TEST_CASE("listener: Expect gets 100 Continue") {
  EchoHandler handler;
  TestServer server(handler);
  RawSocket client = server.connect();
  client.send("POST /u HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  CHECK(client.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hello");
  CHECK(body_of(client.read_message()) == "POST /u [hello]");
  // a body that is too long is refused instead
  client.send("POST /u HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 999999999\r\n\r\n");
  CHECK(status_of(client.read_message()) == "413");
}

TEST_CASE("listener: sends prepared responses unchanged") {
  const auto owner = std::make_shared<std::pair<std::string, std::vector<std::string_view>>>();
  owner->first = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n";
  owner->second = {"abc", "", "def"};
  CallHandler handler([&owner](std::shared_ptr<Exchange> exchange) {
    exchange->respond(PreparedReply{owner->first, owner->second, owner});
  });
  TestServer server(handler);
  RawSocket client = server.connect();
  client.send(get("/") + "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + get("/", "Connection: close\r\n"));
  CHECK(client.read_all() ==
        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdef"
        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"
        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nabcdef");
}

TEST_CASE("listener: responses in pieces are chunked, counted, or ended by the connection") {
  CallHandler handler([](std::shared_ptr<Exchange> exchange) {
    Response head;
    if (exchange->request().target == "/counted") head.headers.add("Content-Length", "6");
    if (exchange->request().target == "/short") head.headers.add("Content-Length", "9");
    exchange->start(std::move(head));
    exchange->write("abc");
    exchange->post([exchange] {
      exchange->write("");
      exchange->write("def");
      exchange->finish();
    });
  });
  TestServer server(handler);
  const struct {
    std::string request, expected;
  } rows[] = {
      {get("/", "Connection: close\r\n"),
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n"},
      {get("/counted", "Connection: close\r\n"),
       "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nabcdef"},
      {get("/short"), "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabcdef"},
      {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcdef"},
      {"HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.request);
    RawSocket client = server.connect();
    client.send(row.request);
    CHECK(client.read_all() == row.expected);
  }
}

TEST_CASE("listener: leaves out headers that would break a response or bind a browser") {
  CallHandler handler([](std::shared_ptr<Exchange> exchange) {
    Response response;
    response.reason = "Fi\r\nne";
    response.headers.add("X-Evil", "a\r\nSet-Cookie: id=made-up");
    response.headers.add("X-Evil: yes\r\nX", "v");
    response.headers.add("Transfer-Encoding", "chunked");
    response.headers.add("Strict-Transport-Security", "max-age=63072000");
    response.headers.add("alt-svc", "h3=\":443\"");
    response.headers.add("X-Good", "\xff");
    exchange->respond(std::move(response));
  });
  TestServer server(handler);
  RawSocket client = server.connect();
  client.send(get("/"));
  CHECK(client.read_message() == "HTTP/1.1 200 Fine\r\nX-Good: \xff\r\nContent-Length: 0\r\n\r\n");
}

TEST_CASE("listener: survives dropped and aborted exchanges and handlers that throw") {
  CallHandler handler([](std::shared_ptr<Exchange> exchange) {
    const std::string target = exchange->request().target;
    const auto fail = [exchange] { throw std::runtime_error("made-up secret"); };
    if (target == "/throw") fail();
    if (target == "/abort") exchange->abort();
    if (target == "/later") exchange->after(std::chrono::milliseconds(1), fail);
    if (target == "/body") exchange->read_body([fail](const std::string&, bool) { fail(); });
    if (target == "/drained") exchange->on_drained(fail);
    if (target == "/started" || target == "/drained") exchange->start(Response());
    if (target == "/drained") exchange->write("piece");
    if (target == "/started") fail();
    if (target == "/responded") {
      exchange->respond(Response());
      fail();
    }
  });
  Loops loops;
  std::atomic<int> failed = 0;
  ListenerOptions options{
      Endpoint{"127.0.0.1", 0}, Limits{}, std::nullopt, true, {}, {}, [&failed](std::string_view what) {
        failed += what == "made-up secret" ? 1 : 0;
      }};
  options.limits.body_bytes = 4;
  Listener listener(loops.all(), options, handler);
  loops.start();
  struct Row {
    std::string target, status;
    int failures;
  };
  const Row rows[] = {{"/drop", "", 0},    {"/abort", "", 0},   {"/throw", "500", 1},   {"/later", "500", 1},
                      {"/body", "500", 1}, {"/started", "", 1}, {"/drained", "200", 1}, {"/responded", "200", 1}};
  for (const auto& [target, expected, failures] : rows) {
    CAPTURE(target);
    failed = 0;
    RawSocket client = RawSocket::connect(listener.local().port);
    client.send("POST " + target + " HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n12345678");
    const std::string answer = client.read_all();
    CHECK(status_of(answer) == expected);
    CHECK(answer.find("made-up") == std::string::npos);
    CHECK_FALSE(client.timed_out());
    CHECK(failed == failures);
  }
}

TEST_CASE("listener: an exchange has one answer (connection.h, 1)") {
  using Answer = std::function<void(Exchange&)>;
  static constexpr std::string_view piece = "prepared";
  struct Kind {
    std::string name, body;
    Answer answer;
  };
  const Kind kinds[] = {
      {"whole", "whole", [](Exchange& exchange) { exchange.respond(text_response(200, "whole")); }},
      {"prepared", "prepared",
       [](Exchange& exchange) {
         exchange.respond(PreparedReply{"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n", std::span(&piece, 1), nullptr});
       }},
      {"pieces", "pieces",
       [](Exchange& exchange) {
         exchange.start(Response{200, "OK", {{"Content-Length", "6"}}, {}});
         exchange.write("pieces");
         exchange.finish();
       }},
      {"begun", "",
       [](Exchange& exchange) {
         exchange.start(Response{200, "OK", {{"Content-Length", "9"}}, {}});
       }},
      {"aborted", "", [](Exchange& exchange) { exchange.abort(); }},
      {"failed", "", [](Exchange& exchange) { exchange.fail(ConnectionFault::close, std::chrono::seconds(1)); }},
      {"exception", "", [](Exchange&) { throw std::runtime_error("made-up"); }},
  };
  for (const Kind& first : kinds) {
    for (const Kind& second : kinds) {
      for (const bool is_late : {false, true}) {
        CAPTURE(first.name, second.name, is_late);
        if (is_late && second.name == "exception") continue;  // ends the loop of this test
        CallHandler handler([&](const std::shared_ptr<Exchange>& exchange) {
          if (exchange->request().target == "/next") return exchange->respond(text_response(200, "next"));
          if (is_late) exchange->post([exchange, &second] { second.answer(*exchange); });
          first.answer(*exchange);
          if (!is_late) second.answer(*exchange);
        });
        TestServer server(handler);
        RawSocket client = server.connect();
        client.send(get("/first") + get("/next"));
        client.end_output();
        const std::string answer = client.read_all();
        CHECK_FALSE(client.timed_out());
        const std::size_t next = answer.find("HTTP/1.1 ", 1);
        if (!first.body.empty()) {
          CHECK(body_of(answer.substr(0, next)) == first.body);
          if (next != std::string::npos) CHECK(body_of(answer.substr(next)) == "next");
        } else if (next != std::string::npos) {
          CHECK(body_of(answer.substr(next)) == "next");
        }
      }
    }
  }
}

TEST_CASE("listener: on_drained is called when the client has received everything") {
  std::atomic<int> drained = 0;
  CallHandler handler([&drained](std::shared_ptr<Exchange> exchange) {
    exchange->on_drained([&drained, weak = std::weak_ptr(exchange), exchange] {
      if (++drained == 3) return exchange->finish();
      if (drained < 3) exchange->write(std::string(8u << 20, 'y'));
    });
    exchange->start(Response());
    exchange->write(std::string(8u << 20, 'x'));
  });
  TestServer server(handler);
  RawSocket client = server.connect();
  client.send(get("/", "Connection: close\r\n"));
  CHECK(client.read_all().size() > 3 * (8u << 20));
  CHECK(drained >= 3);
}

TEST_CASE("listener: shutdown closes idle connections immediately and busy ones after their response") {
  std::promise<std::shared_ptr<Exchange>> asked;
  CallHandler handler([&asked](std::shared_ptr<Exchange> exchange) { asked.set_value(std::move(exchange)); });
  TestServer server(handler, {}, 2);
  RawSocket idle = server.connect();
  RawSocket busy = server.connect();
  busy.send(get("/"));
  const std::shared_ptr<Exchange> exchange = asked.get_future().get();
  std::promise<void> done;
  server.listener().shut_down(10s, [&done] { done.set_value(); });
  CHECK(idle.read_all().empty());
  CHECK_FALSE(idle.timed_out());
  exchange->post([exchange] { exchange->respond(Response()); });
  CHECK(busy.read_all().find("Connection: close\r\n") != std::string::npos);
  busy.close();
  CHECK(done.get_future().wait_for(5s) == std::future_status::ready);
}

TEST_CASE("listener: shutdown waits no longer than the grace period") {
  std::promise<std::shared_ptr<Exchange>> asked;
  CallHandler handler([&asked](std::shared_ptr<Exchange> exchange) { asked.set_value(std::move(exchange)); });
  TestServer server(handler);
  RawSocket busy = server.connect();
  busy.send(get("/"));
  const std::shared_ptr<Exchange> never_answered = asked.get_future().get();
  std::promise<void> done;
  server.listener().shut_down(50ms, [&done] { done.set_value(); });
  CHECK(done.get_future().wait_for(5s) == std::future_status::ready);
  CHECK(busy.read_all().empty());
}

TEST_CASE("listener: serves on IPv6 and names an address that it cannot bind") {
  EchoHandler handler;
  testing::Loops loops;
  const Listener first(loops.all(), ListenerOptions{Endpoint{"127.0.0.1", 0}, {}, std::nullopt}, handler);
  CHECK(first.local().port != 0);
  CHECK_THROWS_WITH(
      Listener(loops.all(), ListenerOptions{first.local(), {}, std::nullopt}, handler),
      Catch::Contains("cannot listen on 127.0.0.1:") && Catch::EndsWith("in use"));
}

TEST_CASE("listener: listens on IPv6") {
  if (tests::is_missing("ipv6", tests::has_ipv6())) return;
  EchoHandler handler;
  testing::Loops loops;
  const Listener sixth(loops.all(), ListenerOptions{Endpoint{"::1", 0}, {}, std::nullopt}, handler);
  CHECK(sixth.local().host == "::1");
}

TEST_CASE("listener: a slow client gets its whole response") {
  const std::string body(24u << 20, 's');
  CallHandler handler([&body](const std::shared_ptr<Exchange>& exchange) {
    Response response;
    response.body = body;
    exchange->respond(std::move(response));
  });
  TestServer server(handler);
  RawSocket client = server.connect();
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));  // longer than a connection keeps its buffers
  CHECK(body_of(client.read_message()).size() == body.size());
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(body_of(client.read_message()).size() == body.size());
}

}  // namespace
}  // namespace tapedeck::http
