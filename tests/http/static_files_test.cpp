#include "http/server/static_files.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/fake_exchange.h"

using namespace tapedeck;
namespace fs = std::filesystem;

namespace {

/// Answers what the static files pass on.
struct Inner : http::Handler {
  void handle(std::shared_ptr<http::Exchange> exchange) override {
    http::Response answer;
    answer.status = 404;
    answer.body = "passed on";
    exchange->respond(std::move(answer));
  }
};

/// A folder with a page, beside a file that is not to be served.
struct Site {
  Site() {
    std::string name = (fs::temp_directory_path() / "tapedeck-site-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root = name;
    fs::create_directories(root / "www/assets");
    write("www/index.html", "<p>page</p>");
    write("www/assets/app.js", "let a=1");
    write("outside.txt", "not served");
    fs::create_symlink("../outside.txt", root / "www/link.txt");
    fs::create_symlink("assets/app.js", root / "www/inner.js");
  }
  ~Site() { fs::remove_all(root); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(root / name) << text; }
  fs::path root;
};

http::Response ask(const Site& site, const std::string& target, const std::string& method = "GET") {
  Inner inner;
  http::StaticFiles files((site.root / "www").string(), inner);
  http::Request request;
  request.method = method;
  request.target = target;
  const auto exchange = std::make_shared<testing::FakeExchange>(request);
  files.handle(exchange);
  return exchange->response();
}

}  // namespace

TEST_CASE("static files: files are served with their type and nothing else leaves the folder") {
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
  };
  for (const Row& row : rows) {
    CAPTURE(row.target);
    const http::Response answer = ask(site, row.target);
    CHECK(answer.body == row.body);
    CHECK(answer.headers.first("Content-Type").value_or("") == row.type);
  }
  CHECK(ask(site, "/index.html", "POST").body == "passed on");
}

TEST_CASE("static files: a folder that is none is refused at the start") {
  Inner inner;
  CHECK_THROWS_AS(http::StaticFiles("no-such-folder", inner), std::invalid_argument);
}
