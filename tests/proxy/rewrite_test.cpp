#include "proxy/rewrite.h"

#include <catch2/catch.hpp>

using namespace tapedeck;

namespace {

const http::BaseUrl device = http::BaseUrl::parse("https://nas.example:5001/dsm");
constexpr std::string_view own = "http://127.0.0.1:8080";

http::Request request_with(http::Headers headers, std::string target = "/webapi/entry.cgi?api=A.B") {
  http::Request request;
  request.method = "GET";
  request.target = std::move(target);
  request.headers = std::move(headers);
  return request;
}

}  // namespace

TEST_CASE("rewrite: the base path is added once, whether or not the client used it") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"/webapi/entry.cgi", "/dsm/webapi/entry.cgi"},
      {"/dsm/webapi/entry.cgi", "/dsm/webapi/entry.cgi"},
      {"/dsm", "/dsm"},
      {"/dsm?x=1", "/dsm?x=1"},
      {"/dsmother", "/dsm/dsmother"},
      {"/", "/dsm/"},
      {"*", "*"},
  };
  for (const auto& [target, expected] : rows) {
    CAPTURE(target);
    CHECK(proxy::to_device(request_with({}, target), device, own, {}).target == expected);
  }
}

TEST_CASE("rewrite: recordings do not contain the base path") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"/dsm/webapi/entry.cgi?a=1", "/webapi/entry.cgi?a=1"},
      {"/webapi/entry.cgi", "/webapi/entry.cgi"},
      {"/dsm", "/"},
      {"/dsm?x=1", "/?x=1"},
      {"/dsmother", "/dsmother"},
  };
  for (const auto& [target, expected] : rows) CHECK(proxy::without_base_path(target, "/dsm") == expected);
  CHECK(proxy::without_base_path("/webapi/entry.cgi", "") == "/webapi/entry.cgi");
}

TEST_CASE("rewrite: only Origin and Referer of the recorder become the device's") {
  const http::Request out = proxy::to_device(
      request_with({{"Origin", "http://127.0.0.1:8080"}, {"Referer", "http://127.0.0.1:8080/ui/?a=1"}}), device, own,
      {});
  CHECK(out.headers.first("Origin") == "https://nas.example:5001");
  CHECK(out.headers.first("Referer") == "https://nas.example:5001/dsm/ui/?a=1");
  const http::Request foreign = proxy::to_device(
      request_with({{"Origin", "http://127.0.0.1:80801"}, {"Referer", "https://other.example/"}}), device, own, {});
  CHECK(foreign.headers.first("Origin") == "http://127.0.0.1:80801");
  CHECK(foreign.headers.first("Referer") == "https://other.example/");
}

TEST_CASE("rewrite: what depends on the client's cache is neither sent nor stored, so that bodies are whole") {
  struct Row {
    http::Headers sent, left;
  };
  const std::vector<Row> rows = {
      {{{"If-None-Match", "\"v1\""}, {"If-Modified-Since", "Mon, 01 Jan 2024 00:00:00 GMT"}}, {}},
      {{{"Range", "bytes=0-3"}}, {{"Range", "bytes=0-3"}}},
      {{{"range", "bytes=0-3"}, {"If-Range", "\"v1\""}}, {}},
      {{{"If-Match", "\"v1\""}, {"If-Unmodified-Since", "x"}}, {{"If-Match", "\"v1\""}, {"If-Unmodified-Since", "x"}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sent.to_text());
    CHECK(proxy::to_device(request_with(row.sent), device, own, {}).headers.to_text() == row.left.to_text());
    http::Headers stored = row.sent;
    proxy::request_to_cassette(stored, "/dsm", own);
    CHECK(stored.to_text() == row.left.to_text());
  }
}

TEST_CASE("rewrite: cookies that the device has not set are not sent to it") {
  proxy::DeviceCookies cookies;
  cookies.see({{"Set-Cookie", "theme=dark; Path=/"}});
  const std::vector<std::pair<std::string, std::optional<std::string_view>>> rows = {
      {"id=abc", "id=abc"},
      {"id=abc; theme=dark", "id=abc; theme=dark"},
      {"id=abc;theme=dark", "id=abc;theme=dark"},
      {"grafana=1; id=abc; x=2", "id=abc"},
      {"grafana=1", std::nullopt},
  };
  for (const auto& [line, expected] : rows) {
    CAPTURE(line);
    CHECK(proxy::to_device(request_with({{"Cookie", line}}), device, own, cookies).headers.first("Cookie") == expected);
  }
}

TEST_CASE("rewrite: the device's origin in a response becomes the recorder's") {
  const http::BaseUrl usual = http::BaseUrl::parse("https://nas.example");
  const http::BaseUrl loopback = http::BaseUrl::parse("http://127.0.0.1:5000");
  const http::BaseUrl sixth = http::BaseUrl::parse("http://[2001:db8::1]:5000");
  const http::BaseUrl fourth = http::BaseUrl::parse("https://192.0.2.7:5001");
  const struct {
    const http::BaseUrl& device;
    std::string value, expected;
  } rows[] = {
      {device, "https://nas.example:5001/dsm/x", "http://127.0.0.1:8080/dsm/x"},
      {device, "HTTPS://NAS.example:5001", "http://127.0.0.1:8080"},
      {device, "https://nas.example:5001?a=1", "http://127.0.0.1:8080/?a=1"},
      {device, "https://nas.example:5001#a", "http://127.0.0.1:8080/#a"},
      {device, "//nas.example:5001/x", "http://127.0.0.1:8080/x"},
      {usual, "https://nas.example:443/x", "http://127.0.0.1:8080/x"},
      {usual, "https://nas.example:/x", "http://127.0.0.1:8080/x"},
      {usual, "//nas.example/x", "http://127.0.0.1:8080/x"},
      {loopback, "http://localhost:5000/x", "http://127.0.0.1:8080/x"},
      {loopback, "http://[::1]:5000/x", "http://127.0.0.1:8080/x"},
      {loopback, "http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"},
      {sixth, "http://[2001:DB8::1]:5000/x", "http://127.0.0.1:8080/x"},
      // others
      {device, "https://nas.example.evil.example:5001/", "https://nas.example.evil.example:5001/"},
      {device, "https://evil.example/?https://nas.example:5001/", "https://evil.example/?https://nas.example:5001/"},
      {device, "https://nas.example@evil.example/", "https://nas.example@evil.example/"},
      {device, "https://other.example/", "https://other.example/"},
      {device, "ftp://nas.example:5001/x", "ftp://nas.example:5001/x"},
      {device, "https://nas.example:5001x/", "https://nas.example:5001x/"},
      {device, "nas.example:5001/x", "nas.example:5001/x"},
      {device, "/nas.example:5001/x", "/nas.example:5001/x"},
      {device, "ht tps://nas.example:5001/x", "ht tps://nas.example:5001/x"},
      {device, "https://0.0.0.0:5001/x", "https://0.0.0.0:5001/x"},
      {device, "https://localhost:5001/x", "https://localhost:5001/x"},
      {fourth, "https://192.0.2.70:5001/x", "https://192.0.2.70:5001/x"},
      {device, "/relative", "/relative"},
      {device, "relative//nas.example:5001/", "relative//nas.example:5001/"},
      {device, "", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.value);
    http::Headers headers{{"Location", row.value},
                          {"Content-Location", row.value},
                          {"Refresh", "0; url=" + row.value},
                          {"X-Note", row.value}};
    CHECK(proxy::to_client(headers, row.device, own) == std::nullopt);
    CHECK(headers.first("Location") == row.expected);
    CHECK(headers.first("Content-Location") == row.expected);
    CHECK(headers.first("Refresh") == "0; url=" + row.expected);
    CHECK(headers.first("X-Note") == row.value);
  }
}

TEST_CASE("rewrite: another scheme or port of the device's host becomes the recorder's and is reported") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"http://nas.example:5001/x", "http://nas.example:5001"},
      {"https://nas.example/x", "https://nas.example"},
      {"https://NAS.example:50010/x", "https://nas.example:50010"},
      {"//nas.example/x", "https://nas.example"},
  };
  for (const auto& [value, origin] : rows) {
    CAPTURE(value);
    http::Headers headers{{"Location", value}, {"Access-Control-Allow-Origin", origin}};
    CHECK(proxy::to_client(headers, device, own) == origin);
    CHECK(headers.first("Location") == "http://127.0.0.1:8080/x");
    CHECK(headers.first("Access-Control-Allow-Origin") == origin);  // pages there are not from the recorder's origin
  }
}

TEST_CASE("rewrite: parses Refresh like browsers do") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"5", "5"},
      {"5;url=https://nas.example:5001/x", "5;url=http://127.0.0.1:8080/x"},
      {" 0.5 , URL = 'https://nas.example:5001/x' trailing", " 0.5 , URL = 'http://127.0.0.1:8080/x' trailing"},
      {"0; \"https://nas.example:5001/x", "0; \"http://127.0.0.1:8080/x"},
      {"0 https://nas.example:5001/x", "0 http://127.0.0.1:8080/x"},
      {"0; urlhttps://nas.example:5001/x", "0; urlhttps://nas.example:5001/x"},
      {"0; url=", "0; url="},
      {"", ""},
  };
  for (const auto& [value, expected] : rows) {
    CAPTURE(value);
    http::Headers headers{{"Refresh", value}};
    CHECK(proxy::to_client(headers, device, own) == std::nullopt);
    CHECK(headers.first("Refresh") == expected);
  }
}

TEST_CASE("rewrite: for CORS, only the device's own origin becomes the recorder's") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"https://nas.example:5001", "http://127.0.0.1:8080"},
      {"HTTPS://nas.EXAMPLE:5001", "http://127.0.0.1:8080"},
      {"*", "*"},
      {"null", "null"},
      {"https://other.example", "https://other.example"},
  };
  for (const auto& [value, expected] : rows) {
    http::Headers headers{{"Access-Control-Allow-Origin", value}};
    (void)proxy::to_client(headers, device, own);
    CHECK(headers.first("Access-Control-Allow-Origin") == expected);
  }
}

TEST_CASE("rewrite: headers for Tapedeck are not sent to the device") {
  const http::Request out = proxy::to_device(
      request_with({{"X-Tapedeck-Scope", "a test"}, {"x-tapedeck-session", "b"}, {"X-Tape", "c"}}), device, own, {});
  CHECK(out.headers == http::Headers{{"X-Tape", "c"}});
}

TEST_CASE("rewrite: headers of Tapedeck are not accepted from the device") {
  http::Headers headers{{"X-Tapedeck-Outcome", "recorded"}, {"X-Tape", "c"}, {"x-tapedeck-match", "a"}};
  (void)proxy::to_client(headers, device, own);
  CHECK(headers == http::Headers{{"X-Tape", "c"}});
}

TEST_CASE("rewrite: a cassette does not contain the recorder's origin") {
  http::Headers headers{{"Location", "http://127.0.0.1:8080/dsm/x?y"},
                        {"Content-Location", "http://127.0.0.1:8080"},
                        {"Refresh", "0; url='http://127.0.0.1:8080/a'"},
                        {"Access-Control-Allow-Origin", std::string(own)}};
  proxy::to_cassette(headers, own);
  CHECK(headers == http::Headers{{"Location", "/dsm/x?y"}, {"Content-Location", "/"}, {"Refresh", "0; url='/a'"}});
  http::Headers open{{"Location", "https://other.example/a"}, {"Access-Control-Allow-Origin", "*"}};
  const http::Headers before = open;
  proxy::to_cassette(open, own);
  CHECK(open == before);
}

TEST_CASE("rewrite: a stored request does not name its recorder") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"http://127.0.0.1:8080/ui/?a=1", "/ui/?a=1"},
      {"HTTP://127.0.0.1:8080/dsm/ui/", "/ui/"},
      {"http://127.0.0.1:8080", "/"},
      {"http://127.0.0.1:8080?a", "/?a"},
      {"http://127.0.0.1:80801/ui", "http://127.0.0.1:80801/ui"},
      {"https://other.example/?http://127.0.0.1:8080/", "https://other.example/?http://127.0.0.1:8080/"},
  };
  for (const auto& [value, expected] : rows) {
    CAPTURE(value);
    http::Headers headers{{"Origin", std::string(own)}, {"Referer", value}, {"X-Note", std::string(own)}};
    proxy::request_to_cassette(headers, "/dsm", own);
    CHECK(headers == http::Headers{{"Referer", expected}, {"X-Note", std::string(own)}});
  }
  http::Headers foreign{{"Origin", "http://localhost:5173"}, {"Origin", "null"}};
  const http::Headers before = foreign;
  proxy::request_to_cassette(foreign, "", own);
  CHECK(foreign == before);
}
