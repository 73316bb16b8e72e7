// Tests requests that an attacker could make a browser or program send. They are refused without any change.

#include <catch2/catch.hpp>

#include "inspector/page_bytes.h"
#include "tests/inspector/control_fixture.h"

namespace tapedeck::inspector {
namespace {

struct Forged {
  const char* name;
  int status;
  std::string head;  ///< request line and headers, in which {host}, {port}, and {token} are replaced
  std::string body = R"({"all":true})";
};

constexpr auto drop = "POST /sessions/drop HTTP/1.1\r\n";
constexpr auto host = "Host: {host}\r\n";
constexpr auto bearer = "Authorization: Bearer {token}\r\n";
constexpr auto json_type = "Content-Type: application/json\r\n";

/// Returns a request that would drop all sessions, with these lines for Host, the token, and others.
std::string with(const std::string& host_line, const std::string& token_line, const std::string& rest = json_type) {
  return drop + host_line + token_line + rest;
}

std::vector<Forged> rebinding() {
  std::vector<Forged> rows;
  for (const char* name :
       {"evil.example:{port}", "evil.example", "127.0.0.1", "127.0.0.1:1", "localhost", "localhost:80",
        "127.0.0.1.evil.example:{port}", "localhost.evil.example:{port}", "192.0.2.1:{port}", "[2001:db8::1]:{port}",
        "0.0.0.0:{port}", "2130706433:{port}", "127.1:{port}", "xn--localhost:{port}", "%31%32%37.0.0.1:{port}"}) {
    rows.push_back({name, 403, with("Host: " + std::string(name) + "\r\n", bearer)});
  }
  // Not a valid host according to RFC 9110.
  for (const char* name : {"127.0.0.1:{port}@evil.example", "evil.example@127.0.0.1:{port}", ":{port}",
                           "127.0.0.1:{port}, evil.example", "127.0.0.1:{port}/", "http://{host}"}) {
    rows.push_back({name, 400, with("Host: " + std::string(name) + "\r\n", bearer)});
  }
  rows.push_back({"an empty Host", 400, with("Host: \r\n", bearer)});
  rows.push_back({"a Host of nothing", 400, with("Host:\r\n", bearer)});
  rows.push_back({"an empty Host beside ours", 400, with("Host:\r\nHost: {host}\r\n", bearer)});
  rows.push_back({"an empty Host behind ours", 400, with("Host: {host}\r\nHost: \r\n", bearer)});
  rows.push_back({"no Host", 400, with("", bearer)});
  rows.push_back({"two Hosts", 400, with("Host: {host}\r\nHost: evil.example\r\n", bearer)});
  rows.push_back({"two equal Hosts", 400, with("Host: {host}\r\nHost: {host}\r\n", bearer)});
  return rows;
}

std::vector<Forged> pages() {
  std::vector<Forged> rows;
  const auto add = [&rows](const char* name, const std::string& lines) {
    rows.push_back({name, 403, with(host, bearer, lines)});
  };
  const std::string form = "Content-Type: application/x-www-form-urlencoded\r\n";
  add("a form of another site", "Origin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n" + form);
  add("a fetch of another site",
      "Origin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n" + std::string(json_type));
  add("a fetch without Origin", "Sec-Fetch-Site: cross-site\r\n" + std::string(json_type));
  add("a fetch of the same site", "Sec-Fetch-Site: same-site\r\n" + std::string(json_type));
  add("a sandboxed page", "Origin: null\r\n" + std::string(json_type));
  add("an empty Origin", "Origin: \r\n" + std::string(json_type));
  add("an Origin of nothing", "Origin:\r\n" + std::string(json_type));
  add("an empty Origin in capitals", "ORIGIN:\t \r\n" + std::string(json_type));
  add("an empty fetch site", "Sec-Fetch-Site: \r\n" + std::string(json_type));
  add("a page of another port", "Origin: http://127.0.0.1:3000\r\n" + std::string(json_type));
  add("a page of the data port",
      "Origin: http://127.0.0.1:1\r\nSec-Fetch-Site: same-site\r\n" + std::string(json_type));
  for (const char* near : {"https://{host}", "http://{host}/", "HTTP://{host}", "http://localhost:{port}", "{host}"}) {
    add("a page of almost our origin", "Origin: " + std::string(near) + "\r\n" + std::string(json_type));
  }
  add("our own page twice", "Origin: http://{host}\r\nOrigin: http://{host}\r\n" + std::string(json_type));
  add("our own page in a frame of another",
      "Origin: http://{host}\r\nSec-Fetch-Site: cross-site\r\n" + std::string(json_type));
  add("two fetch sites", "Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n" + std::string(json_type));
  add("an odd fetch site", "Sec-Fetch-Site: None\r\n" + std::string(json_type));
  return rows;
}

std::vector<Forged> tokens() {
  std::vector<Forged> rows;
  const auto add = [&rows](const char* name, const std::string& line) {
    rows.push_back({name, 401, with(host, line)});
  };
  add("no token", "");
  add("an empty token", "X-Tapedeck-Token: \r\n");
  add("an empty Bearer", "Authorization: Bearer \r\n");
  add("a short token", "X-Tapedeck-Token: {token-1}\r\n");
  add("a long token", "X-Tapedeck-Token: {token}0\r\n");
  add("an encoded token", "X-Tapedeck-Token: %{token}\r\n");
  add("an empty and a right token", "X-Tapedeck-Token: \r\nX-Tapedeck-Token: {token}\r\n");
  add("a doubled token", "X-Tapedeck-Token: {token}{token}\r\n");
  add("a token of zeros", "X-Tapedeck-Token: " + std::string(64, '0') + "\r\n");
  add("a token in capitals", "X-Tapedeck-Token: {TOKEN}\r\n");
  add("a token as Basic", "Authorization: Basic {token}\r\n");
  add("a token without a scheme", "Authorization: {token}\r\n");
  add("a token as cookie", "Cookie: token={token}\r\n");
  add("two tokens", "X-Tapedeck-Token: {token}\r\nAuthorization: Bearer {token}\r\n");
  add("a right and a wrong token", "X-Tapedeck-Token: {token}\r\nX-Tapedeck-Token: 0\r\n");
  add("two tokens in a line", "X-Tapedeck-Token: {token}, {token}\r\n");
  const auto in_url = [](const std::string& target) {
    return "POST " + target + " HTTP/1.1\r\n" + std::string(host) + json_type;
  };
  rows.push_back({"a token in the URL", 401, in_url("/sessions/drop?token={token}")});
  rows.push_back({"a token as a name in the URL", 401, in_url("/sessions/drop?X-Tapedeck-Token={token}")});
  rows.push_back({"a token as user info", 400, in_url("http://u:{token}@{host}/sessions/drop")});
  rows.push_back({"a token in the path", 401, in_url("/{token}/sessions/drop")});
  rows.push_back({"a token in the body", 401, with(host, ""), R"({"all":true,"token":"{token}"})"});
  rows.push_back({"a token in the URL as well", 400,
                  "POST /sessions/drop?token={token} HTTP/1.1\r\n" + std::string(host) + bearer + json_type});
  return rows;
}

std::vector<Forged> methods() {
  std::vector<Forged> rows;
  for (const std::string method : {"GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    rows.push_back({"another method", 405, method + " /sessions/drop HTTP/1.1\r\n" + host + bearer + json_type});
  }
  const std::string right = std::string(host) + bearer + json_type;
  rows.push_back({"a GET with side effects", 405, "GET /sessions/drop?all=true HTTP/1.1\r\n" + right, ""});
  rows.push_back({"a GET that resets", 405, "GET /sessions/reset?all=true HTTP/1.1\r\n" + right, ""});
  rows.push_back({"a method override", 405, "GET /sessions/drop HTTP/1.1\r\nX-HTTP-Method-Override: POST\r\n" + right});
  rows.push_back({"a method of nobody", 501, "DROP /sessions/drop HTTP/1.1\r\n" + right});
  rows.push_back({"another path", 404, "POST /sessions/drop/ HTTP/1.1\r\n" + right});
  rows.push_back({"a path in capitals", 404, "POST /Sessions/Drop HTTP/1.1\r\n" + right});
  rows.push_back({"an encoded path", 404, "POST /sessions%2Fdrop HTTP/1.1\r\n" + right});
  rows.push_back({"a path with an encoded letter", 404, "POST /sessions/%64rop HTTP/1.1\r\n" + right});
  rows.push_back({"another version", 505, "POST /sessions/drop HTTP/2.0\r\n" + right});
  rows.push_back({"a path with dots", 404, "POST /x/../sessions/drop HTTP/1.1\r\n" + right});
  return rows;
}

std::vector<Forged> bodies() {
  std::vector<Forged> rows;
  const auto add = [&rows](const char* name, int status, const std::string& lines, const std::string& body) {
    rows.push_back({name, status, with(host, bearer, lines), body});
  };
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                           "application/json-patch+json", "application/jsonx", ""}) {
    add("another content type", 415, "Content-Type: " + std::string(type) + "\r\n", R"({"all":true})");
  }
  const std::string json_line = json_type;
  add("no content type", 415, "", R"({"all":true})");
  add("two content types", 415, json_line + "Content-Type: text/plain\r\n", R"({"all":true})");
  add("a coded body", 415, json_line + "Content-Encoding: gzip\r\n", R"({"all":true})");
  add("a body that is too large", 413, json_line, R"({"all":true,"x":")" + std::string(70'000, 'x') + "\"}");
  add("a body that waits", 417, json_line + "Expect: 100-continue\r\n", R"({"all":true})");
  add("no JSON", 400, json_line, "all=true");
  add("no object", 400, json_line, "[true]");
  add("an empty body", 400, json_line, "");
  add("JSON with a tail behind a NUL", 400, json_line, std::string("{\"all\":true}\0x", 14));
  add("two JSON texts", 400, json_line, R"({"all":true}{"all":true})");
  add("nothing named", 400, json_line, "{}");
  add("all and one", 400, json_line, R"({"all":true,"name":"session 1"})");
  add("not all", 400, json_line, R"({"all":false})");
  add("all as text", 400, json_line, R"({"all":"true"})");
  add("an unknown member", 400, json_line, R"({"all":true,"really":true})");
  add("no such session", 404, json_line, R"({"name":"session 7"})");
  add("a name that is a number", 400, json_line, R"({"name":1})");
  return rows;
}

void fill(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

std::string filled(std::string text, const ControlServer& server) {
  const std::string& token = server.token();
  std::string upper = token;
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'f' ? c - 'a' + 'A' : c);
  fill(text, "{host}", "127.0.0.1:" + std::to_string(server.port()));
  fill(text, "{port}", std::to_string(server.port()));
  fill(text, "{token-1}", token.substr(1));
  fill(text, "{TOKEN}", upper);
  fill(text, "{token}", token);
  return text;
}

/// Returns everything that a request could have changed.
std::string state(const Controlled& controlled) {
  std::string text = std::to_string(controlled.journal.total());
  for (const char* target : {"/sessions", "/scope", "/rules"}) text += " " + controlled.get(target).body;
  controlled.handler->each_use([&text](const replay::SequenceUse& use) {
    text += use.key + std::to_string(use.played);
    return true;
  });
  return text;
}

/// Checks rows, each of which is a valid request with one fault.
void check_rows(const std::vector<Forged>& rows) {
  const Controlled controlled;
  controlled.ask("SVC.Core.B/1/get");
  const std::string before = state(controlled);
  REQUIRE(before.find("session 1") != std::string::npos);
  for (const Forged& row : rows) {
    INFO(row.name);
    const std::string body = filled(row.body, *controlled.server);
    const Said said = send_bytes(controlled.server->port(), filled(row.head, *controlled.server) + "Content-Length: " +
                                                                std::to_string(body.size()) + "\r\n\r\n" + body);
    CHECK(said.status == row.status);
    if (row.head.starts_with("HEAD")) {
      CHECK(said.body.empty());
    } else {
      CHECK(said.json().contains("error"));
    }
    CHECK(said.body.find(controlled.server->token()) == std::string::npos);
    CHECK(state(controlled) == before);
  }
  // The same request has its effect without the fault.
  CHECK(controlled.post("/sessions/drop", R"({"all":true})").status == 200);
  CHECK(state(controlled) != before);
}

}  // namespace

TEST_CASE("control: refuses a foreign Host without effect") { check_rows(rebinding()); }
TEST_CASE("control: refuses pages in a browser without effect") { check_rows(pages()); }
TEST_CASE("control: refuses a request without the right token without effect") { check_rows(tokens()); }
TEST_CASE("control: refuses other methods and paths without effect") { check_rows(methods()); }
TEST_CASE("control: refuses other bodies without effect") { check_rows(bodies()); }

TEST_CASE("control: the table has at least sixty forged requests") {
  CHECK(rebinding().size() + pages().size() + tokens().size() + methods().size() + bodies().size() >= 60);
}

TEST_CASE("control: refuses every call of strangers without effect") {
  const Controlled controlled;
  controlled.ask("SVC.Core.B/1/get");
  const std::string before = state(controlled);
  const std::string right_host = filled(host, *controlled.server), right_token = filled(bearer, *controlled.server);
  const auto ask = [&controlled](const std::string& line, const std::string& lines) {
    const std::string body = R"({"all":true,"name":"x","id":1,"ignore":["limit"]})";
    return send_bytes(controlled.server->port(), line + " HTTP/1.1\r\n" + lines + json_type + "Content-Length: " +
                                                     std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  for (const Route& route : routes()) {
    const std::string path = std::string(route.path) + (route.is_numbered() ? "1" : "");
    const std::string line = std::string(route.method) + " " + path;
    INFO(line);
    CHECK(ask(line, right_host).status == 401);
    CHECK(ask(line + "?token=" + controlled.server->token(), right_host).status == 401);
    CHECK(ask(line, "Host: evil.example:" + std::to_string(controlled.server->port()) + "\r\n" + right_token).status ==
          403);
    CHECK(ask(line, right_host + right_token + "Origin: https://evil.example\r\n").status == 403);
    CHECK(ask(line, right_host + right_token + "Origin: null\r\n").status == 403);
    CHECK(ask(line, right_host + right_token + "Sec-Fetch-Site: cross-site\r\n").status == 403);
    CHECK(ask("DELETE " + path, right_host + right_token).status == 405);
    const Said refused = ask(line, right_host);
    CHECK(refused.head.find("frame-ancestors 'none'") != std::string::npos);
    CHECK(refused.head.find("Cross-Origin-Resource-Policy: same-origin") != std::string::npos);
    CHECK(state(controlled) == before);
  }
  for (const char* path : {"/requests/", "/requests/1x", "/requests/%31", "/requests/-1", "/requests/1/",
                           "/requests/1234567890123456", "/requests"}) {
    INFO(path);
    CHECK(ask(std::string("GET ") + path, right_host + right_token).status == 404);
  }
}

TEST_CASE(
    "control: the page's files are for everybody who reaches the port by its own name, and hold nothing of a run") {
  const Controlled controlled(10'000, small_cassette(), true);
  controlled.ask("SVC.Core.B/1/get");
  const std::string right_host = filled(host, *controlled.server);
  const auto ask = [&controlled](const std::string& line, const std::string& lines) {
    return send_bytes(controlled.server->port(), line + " HTTP/1.1\r\n" + lines + "\r\n");
  };
  std::vector<std::string> paths = {"/"};
  for (const auto& [name, bytes] : page_bytes()) paths.push_back("/page/" + std::string(name));
  CHECK(paths.size() > 10);
  for (const std::string& path : paths) {
    INFO(path);
    const Said given = ask("GET " + path, right_host);
    CHECK(given.status == 200);
    CHECK(given.head.find("frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'") !=
          std::string::npos);
    CHECK(given.head.find("Cross-Origin-Opener-Policy: same-origin") != std::string::npos);
    CHECK(given.body.find(controlled.server->token()) == std::string::npos);
    CHECK(given.body.find("Core.B") == std::string::npos);
    CHECK(ask("GET " + path, "Host: evil.example:1\r\n").status == 403);
    CHECK(ask("GET " + path, right_host + "Origin: https://evil.example\r\n").status == 403);
    CHECK(ask("GET " + path, right_host + "Sec-Fetch-Site: cross-site\r\n").status == 403);
    CHECK(ask("GET " + path + "?token=" + controlled.server->token(), right_host).status == 401);
    CHECK(ask("GET " + path + "x", right_host).status == 401);
    CHECK(ask("POST " + path, right_host + "Content-Length: 0\r\n").status == 405);
  }
  for (const char* path :
       {"/page/", "/page/../page/main.js", "/page/%6dain.js", "/PAGE/main.js", "/page//main.js", "/page"}) {
    INFO(path);
    CHECK(ask(std::string("GET ") + path, right_host).status == 401);
  }
}

TEST_CASE("control: refuses a body without its length without effect") {
  const Controlled controlled;
  controlled.ask("SVC.Core.B/1/get");
  const std::string before = state(controlled);
  const std::string right = filled(std::string(drop) + host + bearer + json_type, *controlled.server);
  const std::string chunk = "c\r\n{\"all\":true}\r\n0\r\n\r\n";
  const std::string smuggled = filled(std::string("POST /sessions/drop HTTP/1.1\r\n") + host + bearer + json_type +
                                          "Content-Length: 12\r\n\r\n{\"all\":true}",
                                      *controlled.server);
  const std::string get = "GET /state HTTP/1.1\r\n" + filled(std::string(host) + bearer, *controlled.server);
  const std::string rows[] = {
      right + "Transfer-Encoding: chunked\r\n\r\n" + chunk,
      right + "Transfer-Encoding: chunked\r\nContent-Length: 12\r\n\r\n" + chunk,
      right + "Content-Length: 12\r\nContent-Length: 12\r\n\r\n{\"all\":true}",
      right + "\r\n{\"all\":true}",
      // With one request per connection, the following bytes are not read.
      get + "\r\n" + smuggled,
      get + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
      get + "Content-Length: 5\r\n\r\nhello" + smuggled,
  };
  for (const std::string& row : rows) {
    INFO(row);
    (void)send_bytes(controlled.server->port(), row);
    CHECK(state(controlled) == before);
  }
}

}  // namespace tapedeck::inspector
