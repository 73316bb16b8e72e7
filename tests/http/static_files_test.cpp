#include "http/server/static_files.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/http/server_fixture.h"
#include "tests/support/fake_exchange.h"

using namespace tapedeck;
namespace fs = std::filesystem;

namespace {

/// Responds to requests that the static files pass on.
struct Inner : http::Handler {
  void handle(std::shared_ptr<http::Exchange> exchange) override {
    http::Response answer;
    answer.status = 404;
    answer.body = "passed on";
    exchange->respond(std::move(answer));
  }
};

/// A folder with a page, beside a file that must not be served.
struct Site {
  Site() {
    std::string name = (fs::temp_directory_path() / "tapedeck-site-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root = name;
    fs::create_directories(root / "www/assets");
    write("www/index.html", "<p>page</p>");
    write("www/assets/app.js", "let a=1");
    write("outside.txt", "not served");
    fs::create_directories(root / "www/.git");
    fs::create_directories(root / "www/sub");
    fs::create_directories(root / "www/assets/.hidden");
    write("www/.git/config", "not served");
    write("www/.env", "not served");
    write("www/assets/.hidden/a.js", "not served");
    write("www/sub/index.html", "<p>sub</p>");
    write("www/app.html", "<p>app</p>");
    write("www/PICTURE.JPEG", "jpeg");
    write("www/font.ttf", "ttf");
    write("www/unknown.xyz", "xyz");
    fs::create_symlink("../outside.txt", root / "www/link.txt");
    fs::create_symlink("assets/app.js", root / "www/inner.js");
  }
  ~Site() { fs::remove_all(root); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(root / name) << text; }
  fs::path root;
};

http::Response ask(const Site& site, const std::string& target, const std::string& method = "GET",
                   http::Headers headers = {}) {
  Inner inner;
  http::StaticFiles files((site.root / "www").string(), inner);
  http::Request request;
  request.headers = std::move(headers);
  request.method = method;
  request.target = target;
  const auto exchange = std::make_shared<testing::FakeExchange>(request);
  files.handle(exchange);
  return exchange->response();
}

}  // namespace

TEST_CASE("static files: serves files with their type and nothing outside of the folder") {
  const Site site;
  struct Row {
    std::string target, body, type;
  };
  const std::vector<Row> rows = {
      {"/", "<p>page</p>", "text/html; charset=utf-8"},
      {"/?v=2", "<p>page</p>", "text/html; charset=utf-8"},
      {"/index.html", "<p>page</p>", "text/html; charset=utf-8"},
      {"/assets/app.js?x", "let a=1", "text/javascript; charset=utf-8"},
      {"/assets/%61pp.js", "let a=1", "text/javascript; charset=utf-8"},
      {"/inner.js", "let a=1", "text/javascript; charset=utf-8"},
      {"/link.txt", "passed on", ""},
      {"/../outside.txt", "passed on", ""},
      {"/%2e%2e/outside.txt", "passed on", ""},
      {"/assets/../../outside.txt", "passed on", ""},
      {"//etc/passwd", "passed on", ""},
      {"/assets", "passed on", ""},
      {"/assets/", "passed on", ""},
      {"/none.html", "passed on", ""},
      {"/index.html%00.js", "passed on", ""},
      {"/webapi/entry.cgi", "passed on", ""},
      {"/PICTURE.JPEG", "jpeg", "image/jpeg"},
      {"/font.ttf", "ttf", "font/ttf"},
      {"/unknown.xyz", "xyz", "application/octet-stream"},
      // files with such names are not served
      {"/.env", "passed on", ""},
      {"/%2eenv", "passed on", ""},
      {"/.git/config", "passed on", ""},
      {"/assets/.hidden/a.js", "passed on", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.target);
    const http::Response answer = ask(site, row.target);
    CHECK(answer.body == row.body);
    CHECK(answer.headers.first("Content-Type").value_or("") == row.type);
  }
  CHECK(ask(site, "/index.html", "POST").body == "passed on");
}

TEST_CASE("static files: a missing folder is an error at startup") {
  Inner inner;
  CHECK_THROWS_AS(http::StaticFiles("no-such-folder", inner), std::invalid_argument);
}

TEST_CASE("static files: redirects to a folder with a slash if it has a page") {
  const Site site;
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"/sub", "/sub/"},     {"/sub?a=/b", "/sub/?a=/b"},
      {"/s%75b", "/s%75b/"}, {"//sub", "/sub/"},  // never to a host
      {"/\\/sub", ""},       {"/assets", ""},
      {"/.git", ""},
  };
  for (const auto& [target, location] : rows) {
    CAPTURE(target);
    const http::Response answer = ask(site, target);
    CHECK(answer.status == (location.empty() ? 404 : 302));
    CHECK(answer.headers.first("Location").value_or("") == location);
  }
  CHECK(ask(site, "/sub/").body == "<p>sub</p>");
  CHECK(ask(site, "/sub", "POST").body == "passed on");
}

TEST_CASE("static files: only a browser's navigation gets the application's page") {
  const Site site;
  const http::Headers browser{{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}, {"Sec-Fetch-Dest", "document"}};
  struct Row {
    std::string target;
    http::Headers headers;
    bool falls_back;
  };
  const std::vector<Row> rows = {
      {"/users/7", browser, true},
      {"/users/7/", browser, true},
      {"/users.old/7?tab=.x", browser, true},
      {"/", browser, true},
      {"/users/7", {}, false},
      {"/users/7", {{"Accept", "*/*"}}, false},
      {"/users/7", {{"Accept", "application/json, */*"}}, false},
      {"/users/7", {{"Accept", "image/png"}}, false},
      {"/users/7", {{"Accept", "*/*"}, {"Sec-Fetch-Dest", "empty"}}, false},
      {"/users/7", {{"Accept", "text/html"}, {"Sec-Fetch-Dest", "iframe"}}, true},
      {"/app.9f3.js", browser, false},
      {"/webapi/entry.cgi", browser, false},
      {"/webapi/x", browser, false},
      {"/webapi", browser, false},
      {"/webapi/", browser, false},
      {"/photo/webapi/entry.cgi", browser, false},
      {"/~scope/one/webapi/x", browser, false},
      {"/%77ebapi/x", browser, false},
      {"/mywebapi/x", browser, true},
      {"/.env", browser, false},
      {"/users/../../x", browser, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.target, row.headers.to_text());
    const http::Response answer = ask(site, row.target, "GET", row.headers);
    const bool is_page = answer.body == "<p>page</p>";
    CHECK(is_page == row.falls_back);
    if (is_page) CHECK(answer.headers.first("Content-Type") == "text/html; charset=utf-8");
  }
  CHECK(ask(site, "/users/7", "POST", browser).body == "passed on");
  CHECK(ask(site, "/users/7", "HEAD", browser).status == 200);
  fs::remove(site.root / "www/index.html");
  CHECK(ask(site, "/users/7", "GET", browser).body == "passed on");
}

TEST_CASE("static files: clients that do not read a large file hold up no others") {
  const Site site;
  constexpr std::size_t size = 40u << 20;
  site.write("www/large.bin", "begin");
  fs::resize_file(site.root / "www/large.bin", size);
  Inner inner;
  http::StaticFiles files((site.root / "www").string(), inner);
  http::testing::TestServer server(files);
  std::vector<http::testing::RawSocket> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(server.connect());
    CHECK(slow.back().send(http::testing::get("/large.bin")));
  }
  const auto begin = std::chrono::steady_clock::now();
  http::testing::RawSocket client = server.connect();
  CHECK(client.send(http::testing::get("/assets/app.js")));
  CHECK(client.read_message().ends_with("let a=1"));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
  const std::string whole = slow.front().read_message();
  const std::size_t head = whole.find("\r\n\r\n") + 4;
  CHECK(whole.size() == head + size);
  CHECK(whole.substr(head, 6) == std::string("begin\0", 6));
  CHECK(slow.front().send(http::testing::get("/assets/app.js")));
  CHECK(slow.front().read_message().ends_with("let a=1"));
  CHECK(ask(site, "/large.bin", "HEAD").headers.first("Content-Length") == std::to_string(size));
  CHECK(ask(site, "/large.bin").body.size() == size);
}
