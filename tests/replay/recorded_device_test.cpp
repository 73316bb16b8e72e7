// Recorded logins, API.Info, and compounds (docs/replay.md).
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using nlohmann::json;
using testing::cassette_with;
using testing::error;
using testing::login;
using testing::ok;
using testing::record;

int error_code_of(const http::Response& response) {
  const json body = json::parse(response.body);
  return body["success"].get<bool>() ? 0 : body["error"]["code"].get<int>();
}

TEST_CASE("replay: a two-factor login requires the code and then succeeds") {
  const std::string needed = R"({"error":{"code":403,"errors":{"token":"Tk9-made-up-token-value!",)"
                             R"("types":[{"type":"otp"}]}},"success":false})";
  const auto cassette =
      cassette_with({record("SVC.API.Auth/6/login?account=ann&passwd=Zx9-fixture-pass!7", needed),
                     record("SVC.API.Auth/6/login?account=ann&passwd=Zx9-fixture-pass!7&otp_code=111111", error(404)),
                     record("SVC.API.Auth/6/login?account=ann&passwd=Zx9-fixture-pass!7&otp_code=123456",
                            R"({"data":{"sid":")" + std::string(sid_a) + R"("},"success":true})")});
  ReplayHandler handler(playing(cassette), 1);
  const http::Response first = call(handler, "SVC.API.Auth/6/login?account=zoe&passwd=x");
  CHECK(outcome(first) == "recorded");
  CHECK(error_code_of(first) == 403);
  CHECK(first.body.find("Tk9-made-up-token-value!") == std::string::npos);
  const http::Response second = call(handler, "SVC.API.Auth/6/login?account=zoe&passwd=x&otp_code=999999");
  CHECK(error_code_of(second) == 0);
  CHECK(string_in(second.body, "sid").size() == sid_a.size());
}

TEST_CASE("replay: a login whose only recording is a refusal is refused") {
  const auto cassette =
      cassette_with({record("SVC.API.Auth/6/login?account=ann&passwd=Zx9-fixture-pass!7", error(400))});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(error_code_of(call(handler, "SVC.API.Auth/6/login?account=ann&passwd=x")) == 400);
  CHECK(outcome(call(handler, "SVC.API.Auth/6/login?account=ann&passwd=x&format=cookie")) == "builtin");
}

TEST_CASE("replay: a built-in login creates IDs of the recorded shape") {
  const auto cassette = cassette_with({login("ann", sid_a)});
  ReplayHandler handler(playing(cassette), 1);
  const http::Response response = call(handler, "SVC.API.Auth/3/login?account=ann&passwd=x");
  CHECK(outcome(response) == "builtin");
  CHECK(string_in(response.body, "sid").size() == sid_a.size());
}

TEST_CASE("replay: --auth strict requires the CSRF token if the recording had one") {
  const std::string plain = "SVC.Core.Share/1/list";
  const std::string guarded = "SVC.Core.Terminal/1/get";
  const auto cassette =
      cassette_with({login("ann", sid_a), record(plain, data("plain"), sid_a),
                     record(guarded, data("guarded"), sid_a).with_request_header("X-SYNO-TOKEN", "Tk9-made-up-token"),
                     record("SVC.Core.Theme.Login/1/get", data("open"))});
  ReplayOptions options = playing(cassette);
  options.auth = Auth::strict;
  ReplayHandler handler(options, 1);
  const std::string own = string_in(call(handler, "SVC.API.Auth/6/login?account=zoe&passwd=x&format=sid").body, "sid");
  CHECK(error_code_of(call(handler, plain + "?_sid=" + own)) == 0);
  CHECK(error_code_of(call(handler, guarded + "?_sid=" + own)) == 119);
  CHECK(error_code_of(call(handler, guarded + "?_sid=" + own, {{"X-SYNO-TOKEN", "any"}})) == 0);
  CHECK(error_code_of(call(handler, guarded + "?SynoToken=any&_sid=" + own)) == 0);
  CHECK(error_code_of(call(handler, plain)) == 119);
  CHECK(error_code_of(call(handler, "SVC.Core.Theme.Login/1/get")) == 0);
}

const std::string recorded_info =
    R"({"data":{"SYNO.API.Auth":{"maxVersion":6, "minVersion":1,"path":"auth.cgi"},)"
    R"("SYNO.API.Info":{"maxVersion":1,"minVersion":1,"path":"query.cgi"},)"
    R"("SYNO.Core.Share":{"maxVersion":"2","minVersion":1,"path":"entry.cgi","requestFormat":"JSON"}},"success":true})";

TEST_CASE("replay: API.Info is filtered from a recorded complete response without changing its bytes") {
  const auto cassette = cassette_with({record("SYNO.API.Info/1/query?query=all", recorded_info)});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(call(handler, "SYNO.API.Info/1/query?query=all").body == recorded_info);
  CHECK(outcome(call(handler, "SYNO.API.Info/1/query?query=all")) == "recorded");
  struct Row {
    std::string query, expected;
  };
  const std::string auth = R"({"maxVersion":6, "minVersion":1,"path":"auth.cgi"})";
  const std::vector<Row> rows = {
      {"SYNO.API.Auth", R"("SYNO.API.Auth":)" + auth},
      {"SVC.API.Auth", R"("SVC.API.Auth":)" + auth},
      {"SYNO.No.Such,SYNO.API.Auth", R"("SYNO.API.Auth":)" + auth},
      {"SYNO.API.",
       R"("SYNO.API.Auth":)" + auth + R"(,"SYNO.API.Info":{"maxVersion":1,"minVersion":1,"path":"query.cgi"})"},
      {"SYNO.No.", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.query);
    const http::Response response = call(handler, "SYNO.API.Info/1/query?query=" + row.query);
    CHECK(outcome(response) == "builtin");
    CHECK(response.body == R"({"data":{)" + row.expected + R"(},"success":true})");
  }
  CHECK(call(handler, "SYNO.API.Info/1/query").body == recorded_info);
}

TEST_CASE("replay: a recorded API.Info makes the errors for unknown APIs and versions certain") {
  const auto cassette = cassette_with(
      {record("SYNO.API.Info/1/query?query=all", recorded_info), record("SYNO.Core.Share/1/list", data("x"))});
  ReplayHandler handler(playing(cassette), 1);
  struct Row {
    std::string call;
    int code;
    std::string outcome;
  };
  const std::vector<Row> rows = {
      {"SYNO.Core.User/1/list", 102, "builtin"},  // the recorded device does not have the API
      {"SYNO.Core.Share/9/list", 104, "builtin"},
      {"SYNO.Core.Share/2/nothing", 103, "miss"},
      {"SYNO.Core.Share/2/list", 100, "miss"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.call);
    const http::Response response = call(handler, row.call);
    CHECK(error_code_of(response) == row.code);
    CHECK(outcome(response) == row.outcome);
  }
}

TEST_CASE("replay: parts of a recorded compound are replayed to single calls, and recorded calls to a new compound") {
  const std::string parts = R"([{"api":"SVC.Core.Share","method":"list","version":1,"limit":5},)"
                            R"({"api":"SVC.Core.User","method":"list","version":1}])";
  const std::string answer =
      R"({"data":{"has_fail":true,"result":[)"
      R"({"api":"SVC.Core.Share","data":{"n": 1.0},"method":"list","success":true,"version":1},)"
      R"({"api":"SVC.Core.User","error":{"code":105},"method":"list","success":false,"version":1}]},"success":true})";
  const auto cassette = cassette_with({record("SVC.Entry.Request/1/request?mode=sequential&compound=" + parts, answer),
                                       record("SVC.Core.Terminal/1/get", R"({"data":{"n": 7},"success":true})")});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(call(handler, "SVC.Entry.Request/1/request?mode=sequential&compound=" + parts).body == answer);
  const http::Response share = call(handler, "SVC.Core.Share/1/list?limit=5");
  CHECK(share.body == R"({"data":{"n": 1.0},"success":true})");
  CHECK(outcome(share) == "recorded");
  CHECK(error_code_of(call(handler, "SVC.Core.User/1/list")) == 105);
  const http::Response put_together = call(handler, R"(SVC.Entry.Request/1/request?mode=sequential&compound=[)"
                                                    R"({"api":"SVC.Core.Terminal","method":"get","version":1},)"
                                                    R"({"api":"SVC.Core.Network","method":"get","version":1}])");
  CHECK(outcome(put_together) == "builtin");
  CHECK(put_together.body.find(
            R"({"api":"SVC.Core.Terminal","data":{"n": 7},"method":"get","success":true,"version":1})") !=
        std::string::npos);
  CHECK(json::parse(put_together.body)["data"]["has_fail"] == false);
}

}  // namespace
}  // namespace tapedeck::replay
