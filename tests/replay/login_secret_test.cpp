// Tests holes for a secret in a place that no rule names: only the secret of the client's own login fills them.

#include <catch2/catch.hpp>

#include "http/message/urlencoded.h"
#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::record;
using testing::record_target;

std::string login_as(ReplayHandler& handler, const std::string& password) {
  return string_in(
      call(handler, "SVC.API.Auth/6/login?account=ann&passwd=" + http::percent_encode(password) + "&format=sid").body,
      "sid");
}

std::string sid_param(const std::string& sid) { return "_sid=" + sid; }

}  // namespace

TEST_CASE("login secret: a place that no rule names matches only the secret of the client's own login") {
  for (const std::string password : {"1000", "Sommer/Winter2024", "zx9k"}) {
    CAPTURE(password);
    const std::string percent = http::percent_encode(password);
    const std::string login = R"({"data":{"sid":")" + std::string(sid_a) + R"("},"success":true})";
    const auto limited = [&](const std::string& value, const std::string& sid) {
      return "SVC.Core.Planted/1/get?limit=" + value + "&" + sid_param(sid);
    };
    const auto cassette = cassette_with({
        record("SVC.API.Auth/6/login?account=ann&passwd=" + percent + "&format=sid", login),
        record(limited(percent, std::string(sid_a)), data("limited")),
        record("SVC.Core.Planted/1/get?limit=7&" + sid_param(std::string(sid_a)), data("seven")),
    });
    ReplayHandler handler(playing(cassette), 1);
    const std::string same = login_as(handler, password), other = login_as(handler, "another-Word-1");
    CHECK(call(handler, limited(percent, same)).body == data("limited"));
    CHECK(call(handler, limited("7", same)).body == data("seven"));
    CHECK(outcome(call(handler, limited("5", same))) == "miss");
    // Another login has another secret, and the recorded one is unknown to replay.
    CHECK(outcome(call(handler, limited(percent, other))) == "miss");
    CHECK(call(handler, limited("another-Word-1", other)).body == data("limited"));
    CHECK(outcome(call(handler, "SVC.Core.Planted/1/get?limit=" + percent)) == "miss");
  }
}

}  // namespace tapedeck::replay
