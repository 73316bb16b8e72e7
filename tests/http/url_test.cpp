#include "http/message/url.h"

#include <catch2/catch.hpp>
#include <stdexcept>

namespace tapedeck::http {
namespace {

TEST_CASE("url: splits a base URL into origin and path") {
  const struct {
    std::string_view text, origin, path, host;
    int port;
  } rows[] = {
      {"http://nas.example", "http://nas.example", "", "nas.example", 80},
      {"https://nas.example/", "https://nas.example", "", "nas.example", 443},
      {"HTTPS://NAS.Example:5001/dsm/", "https://nas.example:5001", "/dsm", "nas.example", 5001},
      {"http://192.0.2.7:80/a/b", "http://192.0.2.7", "/a/b", "192.0.2.7", 80},
      {"https://[2001:DB8::1]:443", "https://[2001:db8::1]", "", "2001:db8::1", 443},
      {"http://[::1]:8080//", "http://[::1]:8080", "", "::1", 8080},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const BaseUrl url = BaseUrl::parse(row.text);
    CHECK(url.origin() == row.origin);
    CHECK(url.path == row.path);
    CHECK(url.host == row.host);
    CHECK(url.port == row.port);
  }
}

TEST_CASE("url: rejects an invalid base URL") {
  for (const std::string_view text :
       {"", "nas.example", "ftp://nas.example", "http://", "http:///x", "http://a b", "http://nas.example:0",
        "http://nas.example:65536", "http://nas.example:", "http://nas.example:8x", "http://nas.example?q=1",
        "http://nas.example/#f", "http://::1/", "http://[::1", "http://[nas]", "http://[::1]x",
        "http://nas.example/a b", "http://nas.example/a\\b", "http://nas.example/\x01"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(BaseUrl::parse(text), std::invalid_argument);
  }
}

TEST_CASE("url: rejects user info and does not repeat it") {
  for (const std::string_view text : {"http://user:hunter2@nas.example/", "https://hunter2@nas.example:99999"}) {
    try {
      (void)BaseUrl::parse(text);
      FAIL("accepted");
    } catch (const std::invalid_argument& error) {
      CHECK(std::string_view(error.what()).find("hunter2") == std::string_view::npos);
    }
  }
}

TEST_CASE("url: an address to listen on is HOST:PORT") {
  const struct {
    std::string_view text, expected;
    bool loopback;
  } rows[] = {
      {"127.0.0.1:8080", "127.0.0.1:8080", true},
      {"[::1]:0", "[::1]:0", true},
      {"localhost:1", "localhost:1", true},
      {"127.9.9.9:1", "127.9.9.9:1", true},
      {"0.0.0.0:80", "0.0.0.0:80", false},
      {"[::]:80", "[::]:80", false},
      {"127.evil.example:80", "127.evil.example:80", false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const Endpoint endpoint = Endpoint::parse(row.text);
    CHECK(endpoint.to_string() == row.expected);
    CHECK(endpoint.is_loopback() == row.loopback);
  }
  for (const std::string_view text : {"", ":80", "127.0.0.1", "::1:80", "[::1]", "a:b", "a:70000", "a:-1", "a:1 "}) {
    CAPTURE(text);
    CHECK_THROWS_AS(Endpoint::parse(text), std::invalid_argument);
  }
}

}  // namespace
}  // namespace tapedeck::http
