// Requests with redacted forms, paths, and uploads (docs/matching.md, "Secrets in requests").

#include <catch2/catch.hpp>

#include "tests/replay/asking.h"
#include "tests/scrubbers/packing.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::record_target;
using testing::Recorded;

constexpr std::string_view octets = "application/octet-stream";
constexpr std::string_view json_type = "application/json";
constexpr std::string_view form = "application/x-www-form-urlencoded";
constexpr std::string_view multipart = "multipart/form-data; boundary=AaB03x";

constexpr std::string_view redacted_upload =
    "the recorded upload contains a redacted secret, so it cannot be compared with this one";

std::string pem(char letter) {
  return "-----BEGIN PRIVATE KEY-----\n" + std::string(64, letter) + "\n-----END PRIVATE KEY-----\n";
}

std::string upload(std::string_view path, std::string_view content) {
  return "--AaB03x\r\nContent-Disposition: form-data; name=\"path\"\r\n\r\n" + std::string(path) +
         "\r\n--AaB03x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"id.pem\"\r\n\r\n" +
         std::string(content) + "\r\n--AaB03x--\r\n";
}

http::Request request_of(std::string_view method, std::string_view target, std::string_view type, std::string body) {
  http::Request request;
  request.method = method;
  request.target = target;
  request.headers.add("Content-Type", type);
  request.body = std::move(body);
  return request;
}

struct Case {
  const char* what;
  http::Request recorded;
  http::Request same;     ///< differs only in the secret
  http::Request differs;  ///< differs in another place
  const char* match;      ///< empty: an upload, which matches nothing
};

const std::string import_target = "/webapi/entry.cgi?api=SVC.Core.Certificate&version=1&method=import";

std::vector<Case> cases() {
  const auto file = [](std::string_view path, const std::string& content) {
    return request_of("POST", import_target, multipart, upload(path, content));
  };
  const auto other = [](std::string_view type, std::string body) { return request_of("POST", "/up", type, body); };
  const auto settings = [](std::string_view secret, std::string_view rest) {
    return R"({"user":"ann","password":")" + std::string(secret) + R"(","mail":")" + std::string(rest) + R"("})";
  };
  return {
      {"a file of a call", file("/home", "first\n" + pem('A') + "last"), file("/home", "first\n" + pem('B') + "last"),
       file("/else", "first\n" + pem('B') + "last"), ""},
      {"a body of JSON", other(json_type, settings("Secret-Of-Ann-1", "a@example.com")),
       other(json_type, settings("Other-Word-77", "a@example.com")), request_of("POST", "/up", "", ""), ""},
      {"a body of bytes", other(octets, "x" + pem('A') + "y"), other(octets, "x" + pem('B') + "y"),
       request_of("POST", "/elsewhere", octets, "x" + pem('A') + "y"), ""},
      {"a form", other(form, "user=ann&password=Secret-Of-Ann-1&b=2"), other(form, "b=2&password=x&user=ann"),
       other(form, "b=3&password=x&user=ann"), "redacted=body"},
      {"a file of what is no call", other(multipart, upload("/home", pem('A') + "last")),
       other(multipart, upload("/home", pem('B') + "last")),
       request_of("POST", "/elsewhere", multipart, upload("/home", pem('B') + "last")), ""},
      {"a path", request_of("GET", "/share/_sid=Secret-Of-Ann-1;x", "", ""),
       request_of("GET", "/share/_sid=Other-Word-77;x", "", ""),
       request_of("GET", "/share/_sid=Other-Word-77;y", "", ""), "redacted=path"},
  };
}

TEST_CASE("replay: a redacted value of a form or path matches any value, and a redacted upload matches nothing") {
  for (const Case& one : cases()) {
    INFO(one.what);
    Recorded recorded = record_target("POST", "/", R"({"data":"stored","success":true})");
    recorded.interaction.request = one.recorded;
    const auto cassette = cassette_with({recorded});
    ReplayOptions options;
    options.cassettes = {cassette.path()};
    ReplayHandler handler(options, 1);
    for (const http::Request& request : {one.recorded, one.same}) {
      for (int round = 0; round < 2; ++round) {
        const http::Response response = ask(handler, request);
        const bool is_upload = std::string_view(one.match).empty();
        CHECK(outcome(response) == (is_upload ? "miss" : "recorded"));
        CHECK(response.headers.first("X-Tapedeck-Match").value_or("") == one.match);
        CHECK(response.headers.first("X-Tapedeck-Miss").value_or("") == (is_upload ? redacted_upload : ""));
      }
    }
    const http::Response other = ask(handler, one.differs);
    CHECK(outcome(other) == "miss");
    CHECK(other.headers.first("X-Tapedeck-Miss") != redacted_upload);
  }
}

TEST_CASE("replay: matching ignores the Content-Encoding of requests") {
  using scrubbers::test::gzipped;
  const std::string text = R"({"user":"ann","mail":"a@example.com"})";
  const auto encoded = [](http::Request request, const std::string& encoding, std::string body) {
    request.headers.add("Content-Encoding", encoding);
    request.body = std::move(body);
    return request;
  };
  for (const http::Request& plain : {request_of("POST", "/up", json_type, text),
                                     request_of("POST", import_target, form, "a=1&b=2&password=Word-1")}) {
    CAPTURE(plain.target);
    const http::Request packed = encoded(plain, "gzip", gzipped(plain.body));
    for (const http::Request& sent : {plain, packed}) {
      Recorded recorded = record_target("POST", "/", R"({"data":"stored","success":true})");
      recorded.interaction.request = sent;
      const auto cassette = cassette_with({recorded});
      ReplayOptions options;
      options.cassettes = {cassette.path()};
      ReplayHandler handler(options, 1);
      for (const http::Request& asked : {plain, packed, encoded(plain, "zstd", scrubbers::test::zstd(plain.body)),
                                         encoded(plain, "deflate", scrubbers::test::deflated(plain.body, 15))}) {
        CHECK(outcome(ask(handler, asked)) == "recorded");
      }
    }
  }
}

TEST_CASE("replay: a long secret in a response is replaced by a value of its length") {
  const std::string image(200'000, 'Q');
  const auto cassette = cassette_with(
      {testing::record("SVC.Core.OTP/1/get_qrcode", R"({"data":{"img":")" + image + R"("},"success":true})")});
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  ReplayHandler handler(options, 1);
  const http::Response response = call(handler, "SVC.Core.OTP/1/get_qrcode");
  CHECK(outcome(response) == "recorded");
  CHECK(string_in(response.body, "img").size() == image.size());
  CHECK(response.body.find("QQQQQQQQ") == std::string::npos);
}

TEST_CASE("replay: looser rules also apply to requests that are not API calls") {
  const auto cassette = cassette_with({record_target("GET", "/boot.js?v=1&build=7", "one")});
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  {
    ReplayHandler handler(options, 1);
    CHECK(outcome(get(handler, "/boot.js?v=1&build=8")) == "miss");
  }
  options.ignore_params = {"build"};
  ReplayHandler handler(options, 1);
  CHECK(outcome(get(handler, "/boot.js?v=1&build=8")) == "recorded");
  CHECK(outcome(get(handler, "/boot.js?v=2&build=8")) == "miss");
  CHECK(outcome(get(handler, "/else.js?v=1&build=8")) == "miss");
}

}  // namespace
}  // namespace tapedeck::replay
