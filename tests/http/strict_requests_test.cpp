#include <catch2/catch.hpp>

#include "tests/http/server_fixture.h"

namespace tapedeck::http {
namespace {

using testing::body_of;
using testing::EchoHandler;
using testing::RawSocket;
using testing::status_of;
using testing::TestServer;

struct Row {
  std::string request;
  std::string expected;  ///< status, or "close" for no response
};

/// Returns a literal including its NUL bytes.
template <std::size_t size>
std::string bytes(const char (&text)[size]) {
  return std::string(text, size - 1);
}

/// Returns a request with a request line, a Host header, and these lines.
std::string get_with(const std::string& lines) { return "GET / HTTP/1.1\r\nHost: nas.example\r\n" + lines + "\r\n"; }
std::string line(const std::string& request_line) { return request_line + "\r\nHost: nas.example\r\n\r\n"; }
std::string host(const std::string& value) { return "GET / HTTP/1.1\r\nHost: " + value + "\r\n\r\n"; }
std::string post(const std::string& lines, const std::string& body) {
  return "POST /p HTTP/1.1\r\nHost: nas.example\r\n" + lines + "\r\n" + body;
}
std::string chunked(const std::string& body) { return post("Transfer-Encoding: chunked\r\n", body); }

const std::vector<Row>& good_requests() {
  static const std::vector<Row> rows = {
      {line("GET / HTTP/1.1"), "GET / []"},
      {line("GET /webapi/entry.cgi?api=SVC.API.Info&version=1 HTTP/1.1"),
       "GET /webapi/entry.cgi?api=SVC.API.Info&version=1 []"},
      {line("GET /a?x=[\"a\"]|{b}^`\\ HTTP/1.1"), "GET /a?x=[\"a\"]|{b}^`\\ []"},
      {line("GET /caf\xc3\xa9 HTTP/1.1"), "GET /caf\xc3\xa9 []"},
      {line("GET //double HTTP/1.1"), "GET //double []"},
      {line("GET /%00%zz HTTP/1.1"), "GET /%00%zz []"},
      {line("DELETE /d HTTP/1.1"), "DELETE /d []"},
      {line("PATCH /d HTTP/1.1"), "PATCH /d []"},
      {line("PUT /d HTTP/1.1"), "PUT /d []"},
      {line("OPTIONS * HTTP/1.1"), "OPTIONS * []"},
      {line("OPTIONS /a HTTP/1.1"), "OPTIONS /a []"},
      {line("GET http://nas.example/a?b=c HTTP/1.1"), "GET /a?b=c []"},
      {line("GET HTTPS://other.example:81//x HTTP/1.1"), "GET //x []"},
      {line("GET http://[::1]:80 HTTP/1.1"), "GET / []"},
      {line("GET http://nas.example?b=/c HTTP/1.1"), "GET /?b=/c []"},
      {line("OPTIONS http://nas.example HTTP/1.1"), "OPTIONS * []"},
      {line("OPTIONS http://nas.example/ HTTP/1.1"), "OPTIONS / []"},
      {"GET http://nas.example/a HTTP/1.0\r\n\r\n", "GET /a []"},
      {"\r\n" + line("GET /after-empty-line HTTP/1.1"), "GET /after-empty-line []"},
      {"GET / HTTP/1.0\r\n\r\n", "GET / []"},
      {"GET / HTTP/1.0\r\nHost: nas.example\r\n\r\n", "GET / []"},
      {host("nas.example:8080"), "GET / []"},
      {host("192.0.2.7"), "GET / []"},
      {host("[::1]:5000"), "GET / []"},
      {host("nas.example:"), "GET / []"},
      {host("  nas.example \t"), "GET / []"},
      {get_with("X-Empty:\r\n"), "GET / []"},
      {get_with("X-Odd!#$%&'*+-.^_`|~1: v\r\n"), "GET / []"},
      {get_with("Connection: close, TE\r\nTE: trailers\r\n"), "GET / []"},
      {get_with("Content-Length: 0\r\n"), "GET / []"},
      {get_with("Content-Length: 3\r\n") + "abc", "GET / [abc]"},
      {post("Content-Length: 5\r\n", "hello"), "POST /p [hello]"},
      {post("content-length:5\r\n", "hello"), "POST /p [hello]"},
      {post("", ""), "POST /p []"},
      {post("Content-Length: 005\r\n", "hello"), "POST /p [hello]"},
      {post("Content-Length: 4\r\n", bytes("\0\r\n\xff")), "POST /p [" + bytes("\0\r\n\xff") + "]"},
      {chunked("5\r\nhello\r\n0\r\n\r\n"), "POST /p [hello]"},
      {chunked("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"), "POST /p [hello]"},
      {chunked("A\r\n0123456789\r\n0\r\n\r\n"), "POST /p [0123456789]"},
      {chunked("a\r\n0123456789\r\n000\r\n\r\n"), "POST /p [0123456789]"},
      {chunked("5;ext=1;q=\"x\"\r\nhello\r\n0;last\r\n\r\n"), "POST /p [hello]"},
      {chunked("5\r\nhello\r\n0\r\nX-Trailer: yes\r\n\r\n"), "POST /p [hello]"},
      {chunked("0\r\n\r\n"), "POST /p []"},
      {post("Transfer-Encoding: CHUNKED\r\n", "1\r\nx\r\n0\r\n\r\n"), "POST /p [x]"},
  };
  return rows;
}

const std::vector<Row>& hostile_lines() {
  static const std::vector<Row> rows = {
      // request line
      {line("GET /"), "400"},
      {line("GET  / HTTP/1.1"), "400"},
      {line("GET /  HTTP/1.1"), "400"},
      {line("GET / HTTP/1.1 "), "400"},
      {line(" GET / HTTP/1.1"), "400"},
      {line("GET\t/\tHTTP/1.1"), "400"},
      {line("GET /a b HTTP/1.1"), "400"},
      {line("G(T / HTTP/1.1"), "400"},
      {line("G\xc3\x89T / HTTP/1.1"), "400"},
      {line("/ HTTP/1.1"), "400"},
      {line("GET HTTP/1.1"), "400"},
      {line("GET\r/ HTTP/1.1"), "400"},
      {"GET / HTTP/1.1\nHost: nas.example\n\n", "400"},
      {"GET / HTTP/1.1\r\nHost: nas.example\n\r\n", "400"},
      {"GET / HTTP/1.1\nHost: nas.example\r\n\r\n", "400"},
      {"\r\n\r\n" + line("GET / HTTP/1.1"), "400"},
      {"\n" + line("GET / HTTP/1.1"), "400"},
      {"\x16\x03\x01\x02" + std::string(20, 'x'), "400"},
      {"\xef\xbb\xbf" + line("GET / HTTP/1.1"), "400"},
      // version
      {line("GET / HTTP/1.2"), "505"},
      {line("GET / HTTP/2.0"), "505"},
      {line("GET / HTTP/0.9"), "505"},
      {line("GET / HTTP/3.1"), "505"},
      {line("GET / HTTP/1"), "400"},
      {line("GET / HTTP/1.10"), "400"},
      {line("GET / HTTP/01.1"), "400"},
      {line("GET / http/1.1"), "400"},
      {line("GET / HTTP/1,1"), "400"},
      {line("GET / HTTPS/1.1"), "400"},
      {line("GET / HTTP/1.x"), "400"},
      {line("GET / "), "400"},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505"},
      // method
      {line("CONNECT nas.example:443 HTTP/1.1"), "405"},
      {line("CONNECT / HTTP/1.1"), "405"},
      {line("TRACE / HTTP/1.1"), "405"},
      {line("get / HTTP/1.1"), "501"},
      {line("BREW / HTTP/1.1"), "501"},
      {line("PROPFIND / HTTP/1.1"), "501"},
      {line(std::string(200, 'M') + " / HTTP/1.1"), "501"},
      // target
      {line("GET http:// HTTP/1.1"), "400"},
      {line("GET http:///x HTTP/1.1"), "400"},
      {line("GET http://user@nas.example/ HTTP/1.1"), "400"},
      {line("GET http://nas.example:x/ HTTP/1.1"), "400"},
      {line("GET http://nas.example:70000/ HTTP/1.1"), "400"},
      {line("GET http://nas.example\\x/ HTTP/1.1"), "400"},
      {line("GET ftp://nas.example/ HTTP/1.1"), "400"},
      {line("GET http:nas.example HTTP/1.1"), "400"},
      {"GET http://nas.example/ HTTP/1.1\r\n\r\n", "400"},
      {"GET http://nas.example/ HTTP/1.1\r\nHost: a, b\r\n\r\n", "400"},
      {"GET http://nas.example/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "400"},
      {line("GET nas.example:80 HTTP/1.1"), "400"},
      {line("GET * HTTP/1.1"), "400"},
      {line("GET path HTTP/1.1"), "400"},
      {line("GET ?query HTTP/1.1"), "400"},
      {line("GET /#fragment HTTP/1.1"), "400"},
      {line("OPTIONS ** HTTP/1.1"), "400"},
      {line("GET /a\x01 HTTP/1.1"), "400"},
      {line("GET /a\x7f HTTP/1.1"), "400"},
      {line(bytes("GET /a\0b HTTP/1.1")), "400"},
      {line("GET /a\tb HTTP/1.1"), "400"},
  };
  return rows;
}

const std::vector<Row>& hostile_headers() {
  static const std::vector<Row> rows = {
      // Host
      {"GET / HTTP/1.1\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nHost:\r\n\r\n", "400"},
      {host(" "), "400"},
      {host("a.example, b.example"), "400"},
      {host("a.example b.example"), "400"},
      {host("a.example\r\nHost: a.example"), "400"},
      {host("a.example\r\nhost: b.example"), "400"},
      {host("user@a.example"), "400"},
      {host("a.example/path"), "400"},
      {host("http://a.example"), "400"},
      {host(":80"), "400"},
      {host("a.example:x"), "400"},
      {host("a.example:65536"), "400"},
      {host("a.example:80:80"), "400"},
      {host("::1"), "400"},
      {host("[::1"), "400"},
      {host("[]"), "400"},
      {host("[::1]x"), "400"},
      {host("[nas.example]"), "400"},
      {host("a.example\\b"), "400"},
      {host("a.example?"), "400"},
      {host("caf\xc3\xa9.example"), "400"},
      {"GET / HTTP/1.0\r\nHost:\r\n\r\n", "400"},
      // header lines
      {get_with("No colon here\r\n"), "400"},
      {get_with("X : space before the colon\r\n"), "400"},
      {get_with("X\t: tab before the colon\r\n"), "400"},
      {get_with(": no name\r\n"), "400"},
      {get_with("X(Y): v\r\n"), "400"},
      {get_with("X\xc3\xa9: v\r\n"), "400"},
      {get_with(bytes("X\0Y: v\r\n")), "400"},
      {get_with(bytes("X: a\0b\r\n")), "400"},
      {get_with("X: a\x01\r\n"), "400"},
      {get_with("X: a\x1b[31m\r\n"), "400"},
      {get_with("X: a\x7f\r\n"), "400"},
      {get_with("X: a\rb\r\n"), "400"},
      {get_with("X: a\r\r\n"), "400"},
      {get_with("X: a\n"), "400"},
      {get_with("X: a\nY: b\r\n"), "400"},
      {get_with("X: a\r\n folded\r\n"), "400"},
      {get_with("X: a\r\n\tfolded\r\n"), "400"},
      {"GET / HTTP/1.1\r\n Host: nas.example\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nHost: nas.example\r\n other.example\r\n\r\n", "400"},
      {get_with("\x0b: v\r\n"), "400"},
      {get_with("Expect: something-else\r\n"), "417"},
  };
  return rows;
}

const std::vector<Row>& hostile_framing() {
  static const std::vector<Row> rows = {
      // Content-Length
      {post("Content-Length: abc\r\n", "hello"), "400"},
      {post("Content-Length: -5\r\n", "hello"), "400"},
      {post("Content-Length: +5\r\n", "hello"), "400"},
      {post("Content-Length: 5 5\r\n", "hello"), "400"},
      {post("Content-Length: 5, 5\r\n", "hello"), "400"},
      {post("Content-Length: 5,6\r\n", "hello"), "400"},
      {post("Content-Length: 0x5\r\n", "hello"), "400"},
      {post("Content-Length: 5.0\r\n", "hello"), "400"},
      {post("Content-Length:\r\n", "hello"), "400"},
      {post("Content-Length: \"5\"\r\n", "hello"), "400"},
      {post("Content-Length: 5;\r\n", "hello"), "400"},
      {post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), "400"},
      {post("Content-Length: 5\r\ncontent-length: 6\r\n", "hello"), "400"},
      {post("Content-Length: 99999999999999999999999\r\n", "hello"), "413"},
      {post("Content-Length: 18446744073709551616\r\n", "hello"), "413"},
      {post("Content-Length: 18446744073709551615\r\n", "hello"), "413"},
      {post("Content-Length: 67108865\r\n", "hello"), "413"},
      {post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), "400"},
      {post("Content-Length : 5\r\n", "hello"), "400"},
      {post("Content-Length\t: 5\r\n", "hello"), "400"},
      // Transfer-Encoding
      {post("Transfer-Encoding: gzip\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding: identity\r\n", "hello"), "400"},
      {post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding:\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding: chunked;q=1\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding: ,chunked\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding: \x0b"
            "chunked\r\n",
            "0\r\n\r\n"),
       "400"},
      {post("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"), "400"},
      {post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"), "400"},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
      // chunks
      {chunked("5\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("5\nhello\n0\n\n"), "400"},
      {chunked("5\r\nhello\r\n0\n\n"), "400"},
      {chunked("g\r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("5 \r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("5;a=b \r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("5\r\nhello\r\n0\t\r\n\r\n"), "400"},
      {chunked("-1\r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("0x5\r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("+5\r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked(" 5\r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("\r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("5\r\nhelloX\r\n0\r\n\r\n"), "400"},
      {chunked("5\r\nhello0\r\n\r\n"), "400"},
      {chunked("5\r\nhello\n0\r\n\r\n"), "400"},
      {chunked("5\r\nhello\rX0\r\n\r\n"), "400"},
      {chunked("5 bad\r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("5;a\nb\r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("5;a=\"x\ny\"\r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("5;a\rb\r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked(bytes("5;a\0\r\nhello\r\n0\r\n\r\n")), "400"},
      {chunked("5;" + std::string(2000, 'e') + "\r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("10000000000000000\r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"), "400"},
      {chunked("FFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"), "413"},
      {chunked("4000001\r\nhello\r\n0\r\n\r\n"), "413"},
      {chunked("0\r\nBad Trailer\r\n\r\n"), "400"},
      {chunked("0\r\nContent-Length: 5\r\n\r\n"), "400"},
      {chunked("0\r\nTransfer-Encoding: chunked\r\n\r\n"), "400"},
      {chunked("0\r\nX : y\r\n\r\n"), "400"},
      {chunked("0\r\nX: a\x01\r\n\r\n"), "400"},
      {chunked("0\r\nX: a\r\n folded\r\n\r\n"), "400"},
      {chunked("0\r\n: y\r\n\r\n"), "400"},
  };
  return rows;
}

std::vector<Row> over_limits() {
  std::string many;
  for (int i = 0; i < 101; ++i) many += "X-" + std::to_string(i) + ": v\r\n";
  return {
      {line("GET /" + std::string(32 * 1024, 'a') + " HTTP/1.1"), "414"},
      {"GET /" + std::string(40 * 1024, 'a'), "414"},
      {get_with("X: " + std::string(64 * 1024, 'a') + "\r\n"), "431"},
      {"GET / HTTP/1.1\r\nX: " + std::string(70 * 1024, 'a'), "431"},
      {get_with(many), "431"},
      {get_with(std::string(70 * 1024, 'n') + ": v\r\n"), "431"},
      {chunked("0\r\nX: " + std::string(160 * 1024, 't')), "431"},
      {chunked("0\r\nX: " + std::string(20 * 1024, 't') + "\r\n\r\n"), "431"},
      {chunked("5;" + std::string(160 * 1024, 'e')), "400"},
  };
}

void check_refused(const std::vector<Row>& rows) {
  EchoHandler handler;
  TestServer server(handler);
  for (const Row& row : rows) {
    CAPTURE(row.request.substr(0, 200));
    RawSocket client = server.connect();
    client.send(row.request + line("GET /smuggled HTTP/1.1"));
    const std::string answer = client.read_all();
    CHECK(status_of(answer) == row.expected);
    CHECK(answer.find("Connection: close\r\n") != std::string::npos);
    CHECK(answer.find("\nHTTP/1.1 ") == std::string::npos);  // only one response
    CHECK_FALSE(client.timed_out());
    CHECK_FALSE(client.was_reset());
  }
  CHECK(handler.handled == 0);
  CHECK(server.listener().stats().refused == rows.size());
}

TEST_CASE("strict http: valid requests arrive unchanged") {
  EchoHandler handler;
  TestServer server(handler);
  for (const Row& row : good_requests()) {
    CAPTURE(row.request);
    RawSocket client = server.connect();
    client.send(row.request);
    const std::string answer = client.read_message();
    CHECK(status_of(answer) == "200");
    CHECK(body_of(answer) == row.expected);
  }
  CHECK(handler.handled == static_cast<int>(good_requests().size()));
}

TEST_CASE("strict http: valid requests arrive unchanged byte by byte, too") {
  EchoHandler handler;
  TestServer server(handler);
  for (const Row& row : good_requests()) {
    CAPTURE(row.request);
    RawSocket client = server.connect();
    for (const char c : row.request) client.send(std::string_view(&c, 1));
    CHECK(body_of(client.read_message()) == row.expected);
  }
}

TEST_CASE("strict http: invalid request lines are refused and not handled") { check_refused(hostile_lines()); }
TEST_CASE("strict http: invalid headers are refused and not handled") { check_refused(hostile_headers()); }
TEST_CASE("strict http: invalid framing is refused and not handled") { check_refused(hostile_framing()); }
TEST_CASE("strict http: requests over a limit are refused and not handled") { check_refused(over_limits()); }

TEST_CASE("strict http: the tables have the documented number of hostile requests") {
  CHECK(hostile_lines().size() + hostile_headers().size() + hostile_framing().size() + over_limits().size() >= 150);
}

TEST_CASE("strict http: a refusal contains no part of the request") {
  EchoHandler handler;
  TestServer server(handler);
  RawSocket client = server.connect();
  client.send("GET /?_sid=made-up-secret HTTP/9.9\r\nX-Secret: made-up-secret\r\n\r\n");
  CHECK(client.read_all().find("made-up-secret") == std::string::npos);
}

TEST_CASE("strict http: the host of a target in absolute form overrides Host") {
  std::string seen;
  testing::CallHandler handler([&seen](std::shared_ptr<Exchange> exchange) {
    seen = exchange->request().headers.to_text() + exchange->request().body;
    exchange->respond(Response());
  });
  TestServer server(handler);
  RawSocket client = server.connect();
  client.send(
      "POST http://nas.example:8080/x HTTP/1.1\r\nA: 1\r\nhost: other.example\r\nContent-Length: 5\r\n\r\nhello");
  CHECK(status_of(client.read_message()) == "200");
  CHECK(seen == "Host: nas.example:8080\r\nA: 1\r\nContent-Length: 5\r\nhello");
  client.send("GET /plain HTTP/1.1\r\nHost: third.example\r\n\r\n");
  CHECK(status_of(client.read_message()) == "200");
  CHECK(seen == "Host: third.example\r\n");
}

TEST_CASE("strict http: header values arrive byte for byte") {
  EchoHandler handler;
  TestServer server(handler);
  for (const std::string value : {"a%20b", "\xc3\xa9\xff\x80", "tab\there", "\"quoted\", list", "a  b"}) {
    RawSocket client = server.connect();
    client.send(get_with("X-Show:   " + value + " \t\r\n"));
    CHECK(client.read_message().find("X-Shown: " + value + "\r\n") != std::string::npos);
  }
}

}  // namespace
}  // namespace tapedeck::http
