// Tests which headers replay and record add and remove, for every kind of response.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <thread>

#include "base/text.h"
#include "tests/e2e/harness.h"
#include "tests/http/raw_socket.h"

namespace tapedeck::tests::response_header_cases {
namespace {

using http::testing::RawServer;
using http::testing::RawSocket;

const std::string page = "http://localhost:3000";

/// A device that sends every header that Tapedeck adds or removes.
class ChattyDevice {
 public:
  ChattyDevice() : thread_([this] { serve(); }) {}
  ~ChattyDevice() {
    server_.stop();
    thread_.join();
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

 private:
  void serve() {
    for (RawSocket client = server_.accept(); client.fd() >= 0; client = server_.accept()) {
      const std::string request = client.read_until("\r\n\r\n");
      const bool is_file = request.starts_with("GET /static/") || request.starts_with("HEAD /static/");
      const std::string body = is_file ? std::string(5'000, 'x')
                               : request.find("method=login") != std::string::npos
                                   ? R"({"data":{"sid":"Made_Up_SID_0123456789abcdefghij"},"success":true})"
                                   : R"({"data":{"name":"nas"},"success":true})";
      const bool is_same = request.find("If-None-Match") != std::string::npos;
      client.send(std::string("HTTP/1.1 ") + (is_same ? "304 Not Modified" : "200 OK") +
                  "\r\nAccess-Control-Allow-Origin: *\r\nAccess-Control-Allow-Credentials: false\r\n"
                  "Access-Control-Expose-Headers: X-Device\r\nVary: Accept-Encoding\r\n"
                  "Strict-Transport-Security: max-age=1000\r\nAlt-Svc: h3=\":1\"\r\nProxy-Status: x\r\n"
                  "Keep-Alive: timeout=1\r\nUpgrade: h2c\r\nX-Tapedeck-Outcome: forged\r\n"
                  "X-Tapedeck-Match: forged\r\nX-Tapedeck-Miss: forged\r\nETag: \"v1\"\r\n"
                  "Content-Type: text/plain\r\nConnection: close\r\n" +
                  (is_same ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" +
                  (is_same || request.starts_with("HEAD") ? "" : body));
    }
  }

  RawServer server_;
  std::thread thread_;
};

std::vector<std::string> values(const Reply& reply, const std::string& name) {
  std::vector<std::string> found;
  for (const auto& [other, value] : reply.headers) {
    if (other == name) found.push_back(value);
  }
  return found;
}

std::vector<std::string> items(const Reply& reply, const std::string& name) {
  std::vector<std::string> found;
  for (const std::string& line : values(reply, name)) {
    for (std::string_view rest = line; !rest.empty();) {
      found.push_back(base::fold(base::trim(base::take_until(rest, ','))));
    }
  }
  return found;
}

void check_headers(const Reply& reply, bool is_page) {
  for (const char* const name : {"strict-transport-security", "alt-svc", "proxy-status", "keep-alive", "upgrade"}) {
    CHECK(values(reply, name).empty());
  }
  std::set<std::string> seen;
  for (const auto& [name, value] : reply.headers) {
    CAPTURE(name);
    CHECK(value != "forged");
    const bool is_list = name == "vary" || name == "access-control-expose-headers" || name == "set-cookie";
    CHECK((is_list || seen.insert(name).second));
  }
  const std::vector<std::string> vary = items(reply, "vary");
  CHECK(std::count(vary.begin(), vary.end(), "origin") == (is_page ? 1 : 0));
  if (!is_page) return;
  CHECK(values(reply, "access-control-allow-origin") == std::vector<std::string>{page});
  CHECK(values(reply, "access-control-allow-credentials") == std::vector<std::string>{"true"});
  const std::vector<std::string> exposed = items(reply, "access-control-expose-headers");
  CHECK(std::count(exposed.begin(), exposed.end(), "x-tapedeck-outcome") == 1);
}

const std::string entry = "/webapi/entry.cgi?version=1&api=";

struct Row {
  std::string path;
  std::vector<std::string> curl;
  int status;
  std::string outcome;
};

void check_rows(const std::string& url, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    for (const bool is_page : {true, false}) {
      std::vector<std::string> arguments = row.curl;
      arguments.push_back(url + row.path);
      if (is_page) arguments.insert(arguments.end(), {"-H", "Origin: " + page});
      CAPTURE(row.path, row.curl, is_page);
      const Reply reply = curl(arguments);
      CHECK(reply.status == row.status);
      CHECK(reply.header("x-tapedeck-outcome") == row.outcome);
      check_headers(reply, is_page);
    }
  }
}

}  // namespace

TEST_CASE("response headers: record and replay send each one once, for every kind of response") {
  const TempDir folder;
  const ChattyDevice device;
  const std::string cassette = folder / "c.cassette";
  write_file(folder / "index.html", "<p>app</p>");
  const std::vector<std::string> options = {"--cors", page, "--serve", folder.path().string()};
  const std::string login = entry + "SVC.API.Auth&method=login&account=ann&passwd=Made-Up-Passw0rd&format=sid";
  const std::string recorded = entry + "SVC.A.Plain&method=get", changed = entry + "SVC.A.Changed&method=get";
  {
    std::vector<std::string> command = {"record", "--device", device.url(), cassette};
    command.insert(command.end(), options.begin(), options.end());
    Server recorder(folder.path().string(), command);
    check_rows(recorder.url(), {{login, {}, 200, ""},
                                {recorded, {}, 200, ""},
                                {changed, {}, 200, ""},
                                {entry + "SVC.A.Plain&method=head", {"--head"}, 200, ""},
                                {"/static/a.txt", {}, 200, ""},
                                {"/static/b.txt", {"-H", "If-None-Match: \"v1\""}, 200, ""},
                                {"/", {}, 200, ""}});
    CHECK(recorder.stop() == 0);
  }
  write_file(folder / "o.toml",
             "[[overlay]]\ncall = \"A.Changed/1/get\"\nmerge = '{\"data\":{\"name\":\"other\"}}'\n\n"
             "[[overlay]]\ncall = \"A.Written/1/get\"\ndata = {}\nheaders = { "
             "Access-Control-Allow-Origin = \"*\", Vary = \"Cookie\" }\n\n"
             "[[overlay]]\ncall = \"A.Late/1/get\"\ndata = {}\ndelay = \"5ms\"\n");
  std::vector<std::string> command = {"replay", cassette, "--overlay", folder / "o.toml"};
  command.insert(command.end(), options.begin(), options.end());
  Server server(folder.path().string(), command);
  check_rows(server.url(), {{login, {}, 200, "recorded"},
                            {recorded, {}, 200, "recorded"},
                            {"/~scope/other" + recorded, {}, 200, "recorded"},
                            {recorded, {"--data", "a=1"}, 200, "miss"},
                            {changed, {}, 200, "overlay"},
                            {entry + "SVC.A.Written&method=get", {}, 200, "overlay"},
                            {entry + "SVC.A.Late&method=get", {}, 200, "overlay"},
                            {entry + "SVC.Core.Network&method=get", {}, 200, "fallback"},
                            {entry + "SVC.API.Auth&method=logout", {}, 200, "builtin"},
                            {entry + "SVC.A.None&method=get", {}, 200, "miss"},
                            {"/static/none.txt", {}, 404, "miss"},
                            {"/static/a.txt", {}, 200, "recorded"},
                            {"/static/a.txt", {"--head"}, 200, "recorded"},
                            {"/static/a.txt", {"-H", "Range: bytes=1-9"}, 206, "recorded"},
                            {"/static/b.txt", {"-H", "If-None-Match: \"v1\""}, 304, "recorded"},
                            {"/", {}, 200, ""},
                            {"/", {"--head"}, 200, ""}});
  const Reply preflight = curl(
      {"-X", "OPTIONS", server.url() + recorded, "-H", "Origin: " + page, "-H", "Access-Control-Request-Method: POST"});
  CHECK(preflight.status == 204);
  check_headers(preflight, true);
  const Reply refused = curl({server.url() + recorded, "-H", "Origin: http://other.example"});
  CHECK(refused.status == 403);
  check_headers(refused, false);
  CHECK(values(refused, "access-control-allow-origin").empty());
  CHECK(server.stop() == 0);
}

}  // namespace tapedeck::tests::response_header_cases
