#include "http/server/gate.h"

#include <catch2/catch.hpp>

#include "tests/support/fake_exchange.h"

using namespace tapedeck;

namespace {

/// Responds with 200 and counts.
struct Inner : http::Handler {
  void handle(std::shared_ptr<http::Exchange> exchange) override {
    ++asked;
    http::Response answer;
    answer.body = "inner";
    exchange->respond(std::move(answer));
  }
  int asked = 0;
};

http::Request request_with(http::Headers headers, std::string method = "GET") {
  http::Request request;
  request.method = std::move(method);
  request.target = "/webapi/entry.cgi?api=A.B&version=1&method=get";
  request.headers = std::move(headers);
  return request;
}

std::shared_ptr<testing::FakeExchange> exchange_of(const http::GateOptions& options, const http::Request& request,
                                                   Inner& inner) {
  http::Gate gate(options, inner);
  auto exchange = std::make_shared<testing::FakeExchange>(request);
  gate.handle(exchange);
  REQUIRE(exchange->answers() == 1);
  return exchange;
}

http::Response ask(const http::GateOptions& options, const http::Request& request, Inner& inner) {
  return exchange_of(options, request, inner)->response();
}

http::GateOptions open_gate() {
  return {http::Endpoint{"127.0.0.1", 8080},
          {"nas.test"},
          {http::OriginPattern::parse("http://localhost:3000"), http::OriginPattern::parse("http://127.0.0.1:*")},
          [](const http::Request& request) { return request.method == "GET" && request.target == "/app"; },
          {}};
}

}  // namespace

TEST_CASE("gate: serves only loopback names, the listen address, and allowed hosts") {
  const std::vector<std::pair<std::string, bool>> rows = {
      {"127.0.0.1:8080", true},
      {"127.0.0.1", true},
      {"localhost:8080", true},
      {"LOCALHOST", true},
      {"app.localhost:1", true},
      {"[::1]:8080", true},
      {"127.9.9.9:1", true},
      {"nas.test:8080", true},
      {"NAS.test", true},
      {"evil.example:8080", false},
      {"evil.example", false},
      {"nas.test.evil.example", false},
      {"127.0.0.1.evil.example", false},
      {"192.0.2.7:8080", false},
      {"localhost.evil.example", false},
  };
  for (const auto& [host, passes] : rows) {
    CAPTURE(host);
    Inner inner;
    const http::Response answer = ask(open_gate(), request_with({{"Host", host}}), inner);
    CHECK(answer.status == (passes ? 200 : 403));
    CHECK(inner.asked == (passes ? 1 : 0));
    CHECK(answer.body.find("evil") == std::string::npos);
  }
  http::GateOptions any = open_gate();
  any.allow_hosts = {"*"};
  Inner inner;
  CHECK(ask(any, request_with({{"Host", "evil.example"}}), inner).status == 200);
}

TEST_CASE("gate: refuses a foreign origin and accepts its own origin") {
  const std::vector<std::pair<http::Headers, int>> rows = {
      {{{"Host", "localhost:8080"}, {"Origin", "http://localhost:8080"}}, 200},
      {{{"Host", "localhost:8080"}, {"Origin", "http://localhost:3000"}}, 200},
      {{{"Host", "localhost:8080"}, {"Origin", "http://localhost:3001"}}, 403},
      {{{"Host", "localhost:8080"}, {"Origin", "https://evil.example"}}, 403},
      {{{"Host", "localhost:8080"}, {"Origin", "HTTP://LOCALHOST:3000"}}, 200},
      {{{"Host", "localhost:8080"}, {"Origin", "http://127.0.0.1:9"}}, 200},
      {{{"Host", "localhost:8080"}, {"Origin", "https://127.0.0.1:9"}}, 403},
      {{{"Host", "localhost"}, {"Origin", "http://localhost"}}, 200},
      {{{"Host", "localhost:80"}, {"Origin", "http://localhost"}}, 200},
      {{{"Host", "localhost:443"}, {"Origin", "http://localhost"}}, 403},
      {{{"Host", "localhost:8080"}, {"Origin", ""}}, 403},
      {{{"Host", "localhost:8080"}, {"Origin", "localhost:8080"}}, 403},
      {{{"Host", "localhost:8080"}, {"Origin", "null"}}, 403},
      // All names of this machine with one port are one origin.
      {{{"Host", "127.0.0.1:8080"}, {"Origin", "http://localhost:8080"}, {"Sec-Fetch-Site", "cross-site"}}, 200},
      {{{"Host", "localhost:8080"}, {"Origin", "http://[::1]:8080"}}, 200},
      {{{"Host", "[::1]:8080"}, {"Origin", "http://127.0.0.1:8080"}}, 200},
      {{{"Host", "[::1]:8080"}, {"Origin", "http://[::1]:8081"}}, 403},
      {{{"Host", "127.0.0.1:8080"}, {"Origin", "http://127.0.0.2:8080"}}, 403},
      {{{"Host", "127.0.0.1:8080"}, {"Origin", "http://app.localhost:8080"}}, 403},
      {{{"Host", "127.0.0.1:8080"}, {"Origin", "http://localhost.evil.example:8080"}}, 403},
      {{{"Host", "localhost:8080"}, {"Sec-Fetch-Site", "cross-site"}}, 403},
      {{{"Host", "localhost:8080"}, {"Sec-Fetch-Site", "same-origin"}}, 200},
      {{{"Host", "localhost:8080"}, {"Sec-Fetch-Site", "none"}}, 200},
      {{{"Host", "localhost:8080"}, {"Origin", "http://localhost:3000"}, {"Sec-Fetch-Site", "cross-site"}}, 200},
      {{{"Host", "localhost:8080"}, {"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"}}, 403},
  };
  for (const auto& [headers, status] : rows) {
    CAPTURE(headers.to_text());
    Inner inner;
    CHECK(ask(open_gate(), request_with(headers), inner).status == status);
    CHECK(inner.asked == (status == 200 ? 1 : 0));
  }
}

TEST_CASE("gate: a request of a foreign page needs an allowed Origin or must navigate to a served page") {
  struct Row {
    const char *site, *mode, *method, *target, *origin;
    int status;
  };
  const char* const call = "/webapi/entry.cgi?api=SYNO.Core.System&version=1&method=reboot";
  const char *const own = "http://localhost:8080", *const allowed = "http://localhost:3000";
  const Row rows[] = {
      // An image, a script, a form, and a link on another port of this machine.
      {"same-site", "no-cors", "GET", call, nullptr, 403},
      {"same-site", "cors", "GET", call, nullptr, 403},
      {"same-site", "navigate", "GET", call, nullptr, 403},
      {"Same-Site", "no-cors", "GET", call, nullptr, 403},
      {"cross-site", "no-cors", "GET", call, nullptr, 403},
      {"cross-site", "navigate", "GET", call, nullptr, 403},
      {"cross-site", "navigate", "POST", call, "https://evil.example", 403},
      {"same-site", "navigate", "POST", call, "http://localhost:3001", 403},
      // A proxy has replaced the page's origin by the server's own.
      {"same-site", "cors", "POST", call, own, 403},
      {"cross-site", "cors", "POST", call, own, 403},
      {"same-site", "navigate", "GET", "/app", nullptr, 200},
      {"cross-site", "navigate", "GET", "/app", nullptr, 200},
      {"cross-site", "no-cors", "GET", "/app", nullptr, 403},
      {"cross-site", nullptr, "GET", "/app", nullptr, 403},
      {"cross-site", "navigate", "POST", "/app", nullptr, 403},
      {"same-site", "cors", "POST", call, allowed, 200},
      {"cross-site", "cors", "POST", call, allowed, 200},
      {"same-origin", "cors", "POST", call, own, 200},
      {"same-origin", "no-cors", "GET", call, nullptr, 200},
      {"none", "navigate", "GET", call, nullptr, 200},
      {nullptr, nullptr, "POST", call, own, 200},
      {nullptr, nullptr, "POST", call, nullptr, 200},
  };
  for (const Row& row : rows) {
    http::Headers headers{{"Host", "localhost:8080"}};
    if (row.site != nullptr) headers.add("Sec-Fetch-Site", row.site);
    if (row.mode != nullptr) headers.add("Sec-Fetch-Mode", row.mode);
    if (row.origin != nullptr) headers.add("Origin", row.origin);
    http::Request request = request_with(headers, row.method);
    request.target = row.target;
    CAPTURE(headers.to_text(), row.method, row.target);
    Inner inner;
    CHECK(ask(open_gate(), request, inner).status == row.status);
    CHECK(inner.asked == (row.status == 200 ? 1 : 0));
  }
  http::GateOptions without_pages = open_gate();
  without_pages.is_page = {};
  http::Request link =
      request_with({{"Host", "localhost:8080"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}});
  link.target = "/app";
  Inner inner;
  CHECK(ask(without_pages, link, inner).status == 403);
}

TEST_CASE("gate: an allowed origin may read responses and gets a preflight response") {
  Inner inner;
  const http::Headers page{{"Host", "localhost:8080"}, {"Origin", "http://localhost:3000"}};
  const auto answer = exchange_of(open_gate(), request_with(page), inner);
  CHECK(answer->page() == "http://localhost:3000");
  CHECK(answer->response().body == "inner");

  http::Headers preflight = page;
  preflight.add("Access-Control-Request-Method", "GET");
  preflight.add("Access-Control-Request-Headers", "x-syno-token");
  const http::Response allowed = ask(open_gate(), request_with(preflight, "OPTIONS"), inner);
  CHECK(allowed.status == 204);
  CHECK(allowed.headers.first("Access-Control-Allow-Headers") == "x-syno-token");
  CHECK(inner.asked == 1);

  preflight.set("Origin", "https://evil.example");
  CHECK(ask(open_gate(), request_with(preflight, "OPTIONS"), inner).status == 403);
  CHECK(inner.asked == 1);
}

TEST_CASE("gate: a page under another name of this machine gets CORS headers") {
  Inner inner;
  const http::Headers page{{"Host", "127.0.0.1:8080"}, {"Origin", "http://localhost:8080"}};
  CHECK(exchange_of(open_gate(), request_with(page), inner)->page() == "http://localhost:8080");
  http::Headers preflight = page;
  preflight.add("Access-Control-Request-Method", "GET");
  CHECK(ask(open_gate(), request_with(preflight, "OPTIONS"), inner).status == 204);
  const http::Headers own{{"Host", "localhost:8080"}, {"Origin", "http://localhost:8080"}};
  CHECK(exchange_of(open_gate(), request_with(own), inner)->page().empty());
}

TEST_CASE("gate: counts refusals and reports each one once with the option that allows it") {
  std::vector<std::string> lines;
  http::GateOptions options = open_gate();
  std::size_t calls = 0;
  options.on_refused = [&](const http::Request&, const std::string& line, bool is_new) {
    ++calls;
    if (is_new) lines.push_back(line);
  };
  Inner inner;
  http::Gate gate(options, inner);
  const auto refused = [&](http::Headers headers) {
    gate.handle(std::make_shared<testing::FakeExchange>(request_with(std::move(headers))));
    return lines.empty() ? std::string() : lines.back();
  };
  CHECK(refused({{"Host", "nas.example:8080"}}) == "Host nas.example is refused; --allow-host nas.example allows it");
  CHECK(refused({{"Host", "localhost:1"}, {"Origin", "http://app.example"}}) ==
        "requests from pages of http://app.example are refused; --cors http://app.example allows them");
  CHECK(refused({{"Host", "localhost:1"}, {"Origin", "null"}}) ==
        "requests from pages of null are refused; --cors '*' allows them");
  CHECK(refused({{"Host", "localhost:1"}, {"Sec-Fetch-Site", "cross-site"}}).find("--cors ORIGIN") !=
        std::string::npos);
  // Text that is neither an origin nor a name may contain a password.
  for (const std::string_view text :
       {"http://ann:Zq8Wn5Lp@app.example", "http://Zq8Wn5Lp@app.example:1", "ann:Zq8Wn5Lp",
        "http://app.example/?token=Zq8Wn5Lp", "http://app.example#Zq8Wn5Lp"}) {
    CHECK(refused({{"Host", "localhost:1"}, {"Origin", std::string(text)}}) ==
          "requests from pages of another Origin are refused; --cors '*' allows them");
  }
  for (const std::string_view text : {"ann@nas.example", "Zq8Wn5Lp@nas.example:1", "nas.example/Zq8Wn5Lp"}) {
    CHECK(refused({{"Host", std::string(text)}}) == "a Host that is not the name of a host is refused");
  }
  CHECK(lines.size() == 6);
  for (int i = 0; i < 3; ++i) (void)refused({{"Host", "nas.example:8080"}});
  CHECK(lines.size() == 6);
  CHECK(gate.refused() == 15);
  for (int i = 0; i < 300; ++i) (void)refused({{"Host", "h" + std::to_string(i)}});
  CHECK(lines.size() == 100);
  CHECK(gate.refused() == 315);
  CHECK(calls == 315);
  (void)refused({{"Host", "localhost:1"}});
  CHECK(gate.refused() == 315);
}

TEST_CASE("gate: --cors accepts origins and explains invalid values") {
  const auto failure = [](const std::string& text) -> std::string {
    try {
      (void)http::OriginPattern::parse(text);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "none";
  };
  for (const char* const fine : {"*", "http://localhost:3000", "https://app.example", "http://[::1]:3000",
                                 "http://localhost:*", "HTTPS://App.Example:8443", "chrome-extension://abcdef"}) {
    CAPTURE(fine);
    CHECK(failure(fine) == "none");
  }
  for (const char* const wrong : {"", "localhost:3000", "app.example", "null", "://x", "**"}) {
    CAPTURE(wrong);
    CHECK(failure(wrong) == "must begin with a scheme, as in http://localhost:3000");
  }
  for (const char* const wrong : {"http://localhost:3000/", "http://app.example/app", "http://a?b", "http://a#b"}) {
    CAPTURE(wrong);
    CHECK(failure(wrong) == "must end after host and port: an origin has no path, not even a slash");
  }
  CHECK(failure("http://ann@app.example") == "must not contain a user name");
  for (const char* const wrong : {"http://", "http://:80", "http://a:", "http://a:0", "http://a:65536", "http://a:x",
                                  "http://a b", "http://*.example", "http://[::1", "http://[x]", "http://[wxyz]",
                                  "http://[::1]x", "http://[]", "http://a,http://b"}) {
    CAPTURE(wrong);
    CHECK(failure(wrong).starts_with("must "));
  }
  const auto fits = [](const char* pattern, const char* origin) {
    return http::OriginPattern::parse(pattern).fits(origin);
  };
  CHECK(fits("http://a:80", "http://a"));
  CHECK(fits("https://a", "https://A:443"));
  CHECK_FALSE(fits("http://a", "https://a"));
  CHECK_FALSE(fits("http://a", "http://a.b"));
  CHECK(fits("http://a:*", "http://a"));
  CHECK(fits("http://a:*", "http://a:1"));
  CHECK_FALSE(fits("http://a:*", "http://b:1"));
  CHECK(fits("*", "null"));
  CHECK_FALSE(fits("http://a:*", "null"));
}
