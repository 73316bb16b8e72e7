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

TEST_CASE("rewrite: the base path is put in front once, whether the client used it or not") {
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

TEST_CASE("rewrite: what is recorded is without the base path") {
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

TEST_CASE("rewrite: only the recorder's own Origin and Referer become the device's") {
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

TEST_CASE("rewrite: cookies that the device has not set stay here") {
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

TEST_CASE("rewrite: the device's origin in an answer becomes the recorder's, other origins stay") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"https://nas.example:5001/dsm/x", "http://127.0.0.1:8080/dsm/x"},
      {"HTTPS://NAS.example:5001", "http://127.0.0.1:8080"},
      {"https://nas.example:50010/x", "https://nas.example:50010/x"},
      {"https://other.example/", "https://other.example/"},
      {"/relative", "/relative"},
  };
  for (const auto& [value, expected] : rows) {
    http::Headers headers{{"Location", value}, {"Access-Control-Allow-Origin", value}, {"X-Note", value}};
    proxy::to_client(headers, device, own);
    CHECK(headers.first("Location") == expected);
    CHECK(headers.first("Access-Control-Allow-Origin") == expected);
    CHECK(headers.first("X-Note") == value);
  }
}

TEST_CASE("rewrite: a cassette holds no origin of the recorder that made it") {
  http::Headers headers{{"Location", "http://127.0.0.1:8080/dsm/x?y"},
                        {"Access-Control-Allow-Origin", std::string(own)}};
  proxy::to_cassette(headers, own);
  CHECK(headers == http::Headers{{"Location", "/dsm/x?y"}});
  http::Headers open{{"Location", "https://other.example/a"}, {"Access-Control-Allow-Origin", "*"}};
  const http::Headers before = open;
  proxy::to_cassette(open, own);
  CHECK(open == before);
}
