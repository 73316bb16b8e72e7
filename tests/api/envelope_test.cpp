#include "api/envelope.h"

#include <catch2/catch.hpp>

#include "api/interaction.h"

using namespace std::string_view_literals;

namespace tapedeck::api {
namespace {

/// Returns "ok", "failed", "failed 119", or "none" for a body without an envelope.
std::string spelled(std::string_view body) {
  const std::optional<Verdict> read = verdict(body);
  if (!read) return "none";
  const std::string code = read->error_code ? " " + std::to_string(*read->error_code) : std::string();
  return (read->success ? "ok" : "failed") + code;
}

}  // namespace

TEST_CASE("envelope: writes envelopes with the spelling of devices") {
  CHECK(success_envelope() == R"({"success":true})");
  CHECK(success_envelope(R"({"a": 1})") == R"({"data":{"a": 1},"success":true})");
  CHECK(error_envelope(ErrorCode::session_not_found) == R"({"error":{"code":119},"success":false})");
  CHECK(error_envelope(ErrorCode::unknown, "[]") == R"({"error":{"code":100,"errors":[]},"success":false})");
}

TEST_CASE("envelope: reads success and error code from a body") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {R"({"success":true})", "ok"},
      {R"({"data":[],"success":true})", "ok"},
      {R"({"data":"x","success":true})", "ok"},
      {R"({ "success" : false , "error" : { "errors":{"code":1}, "code" : 119 } })", "failed 119"},
      {R"({"error":{"code":"407"},"success":false})", "failed 407"},
      {R"({"success":false})", "failed"},
      {R"({"error":{},"success":false})", "failed"},
      {R"({"error":{"code":1.5},"success":false})", "failed"},
      {R"({"error":{"code":"x1"},"success":false})", "failed"},
      {R"({"error":{"code":99999999999},"success":false})", "failed"},
      {R"({"error":{"code":-1},"success":false})", "failed"},
      {R"({"error":119,"success":false})", "failed"},
      // nested members do not count
      {R"({"data":{"success":false,"error":{"code":1}},"success":true})", "ok"},
      {R"({"data":{"result":[{"error":{"code":120},"success":false}]},"success":true})", "ok"},
      {R"({"error":{"more":{"code":5}},"success":false})", "failed"},
      {R"({"error":[{"code":5}],"success":false})", "failed"},
      {R"({"data":{"success":true}})", "none"},
      // escaped and duplicate keys
      {R"({"\u0073uccess":true})", "ok"},
      {R"({"success":true,"success":false})", "failed"},
      {R"({"success":true,"success":"no"})", "none"},
      {R"({"error":{"code":1},"error":{},"success":false})", "failed"},
      // not an envelope
      {R"({"success":"true"})", "none"},
      {R"({"success":1})", "none"},
      {R"({"success":null})", "none"},
      {R"({})", "none"},
      {R"([{"success":true}])", "none"},
      {R"(true)", "none"},
      {R"("success")", "none"},
      {"", "none"},
      {"<html>502</html>", "none"},
      {R"({"success":true)", "none"},
      {R"({"success":true} {"success":true})", "none"},
      {"{\"success\":true}\0{\"success\":false}"sv, "none"},
      // names that are not UTF-8
      {"{\"data\":{\"name\":\"caf\xe9\"},\"success\":true}", "ok"},
      {"{\"success\":true,\xff}", "none"},
      {R"({"data":{"name":"\ud83d"},"success":true})", "ok"},
      // other members that are not JSON
      {R"({"data":{"a":},"success":true})", "none"},
      {R"({"data":[1,],"success":true})", "none"},
      {R"({"data":[1 2],"success":true})", "none"},
      {R"({"data":undefined,"success":true})", "none"},
      {R"({"data":01,"success":true})", "none"},
      {R"({"data":"\x","success":true})", "none"},
      {"{\"data\":\"a\nb\",\"success\":true}", "none"},
      {R"({"error":{"code":119,},"success":false})", "none"},
      // a byte order mark
      {"\xef\xbb\xbf{\"success\":true}", "ok"},
      {"\xef\xbb\xbf {\"error\":{\"code\":119},\"success\":false}\n", "failed 119"},
      {"\xef\xbb\xbf\xef\xbb\xbf{\"success\":true}", "none"},
      {" \xef\xbb\xbf{\"success\":true}", "none"},
  };
  for (const auto& [body, expected] : rows) {
    INFO(body);
    CHECK(spelled(body) == expected);
  }
}

TEST_CASE("envelope: three error codes end a session") {
  for (const int code : {106, 107, 119}) CHECK(ends_session(code));
  for (const int code : {0, 100, 105, 108, 114, 118, 120, 400}) CHECK_FALSE(ends_session(code));
}

TEST_CASE("envelope: reads deeply nested bodies without recursion") {
  const std::string deep(1'000'000, '[');
  CHECK(spelled(R"({"success":true,"data":)" + deep) == "none");
  CHECK(spelled(R"({"success":true,"data":)" + deep + std::string(1'000'000, ']') + "}") == "ok");
}

TEST_CASE("interaction: each completeness has a word") {
  CHECK(to_string(Completeness::complete) == "complete");
  CHECK(to_string(Completeness::broken) == "broken");
  CHECK(to_string(Completeness::withheld) == "withheld");
}

}  // namespace tapedeck::api
