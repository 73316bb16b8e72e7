#include <catch2/catch.hpp>

#include "tests/support/cassette_fixture.h"
#include "tools/verify/plan.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteReader;
using tools::NotAsked;

namespace {

const std::string sid = "k7QfixtureSessionIdNumberOne-0123456789_abcdefghijklmnopqrstuvwxyz";

/// Returns the selected keys in order.
std::vector<std::string> asked(const CassetteReader& reader, const tools::VerifyPlan& plan) {
  std::vector<std::string> keys;
  for (const std::string& id : plan.questions) keys.push_back(reader.get(id)->line.key);
  return keys;
}

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("verify: selects each call once, from before the first write of its lane") {
  const TestCassette cassette = cassette_with({
      login("fixture-admin", sid),
      record("SVC.Core.Network/1/get", ok, sid),
      record("SVC.Core.Network/1/get", ok, sid),
      record("SVC.Core.Terminal/3/get", ok, sid),
      record("SVC.Core.Terminal/3/set?enable_ssh=true", ok, sid),
      record("SVC.Core.Terminal/3/get", ok, sid),
      record("SVC.Core.Share/1/list", ok, sid),
      record("SVC.Core.User/1/list", error(119), sid),
      record("SVC.Core.AppPortal/1/list", ok, sid).broken("cut"),
      record("SVC.API.Info/1/query?query=all", ok),
      record_target("GET", "/boot.js", "var a;").with_request_header("If-None-Match", "\"1\""),
      record_target("POST", "/form", "thanks"),
  });
  const CassetteReader reader(cassette.path());
  const tools::VerifyPlan plan = tools::plan_verify(reader, true);
  CHECK(asked(reader, plan) ==
        Keys{"SVC.API.Info/1/query?query=all", "SVC.Core.Network/1/get", "SVC.Core.Terminal/3/get"});
  CHECK(plan.compared.size() == 4);  // both responses of the network, and one of the terminal
  CHECK(plan.of(NotAsked::changes) == 3);
  CHECK(plan.of(NotAsked::after_write) == 1);
  CHECK(plan.of(NotAsked::of_session) == 1);
  CHECK(plan.of(NotAsked::incomplete) == 1);
  CHECK(plan.of(NotAsked::conditional) == 1);

  const tools::VerifyPlan alone = tools::plan_verify(reader, false);
  CHECK(asked(reader, alone) == Keys{"SVC.API.Info/1/query?query=all"});
  CHECK(alone.of(NotAsked::no_account) == 3);
}

TEST_CASE("verify: compares the newest take in which a call was read before a write") {
  const TestCassette cassette = cassette_with({record("SVC.Core.Terminal/3/get", ok)});
  cassettes::Take second = fixture_take();
  second.started_us += 1'000'000'000;
  record_take(cassette.path(),
              {record("SVC.Core.Terminal/3/set?enable_ssh=true", ok), record("SVC.Core.Terminal/3/get", ok)}, second);
  const CassetteReader reader(cassette.path());
  const tools::VerifyPlan plan = tools::plan_verify(reader, true);
  REQUIRE(plan.questions.size() == 1);
  CHECK(reader.get(plan.questions[0])->line.take == 1);
}

TEST_CASE("verify: a repeated request has the new session's values, and other secrets exclude it") {
  const TestCassette cassette = cassette_with({
      login("fixture-admin", sid),
      record("SVC.Core.Network/1/get?SynoToken=k7Qtoken0123456", ok, sid)
          .with_request_header("Cookie", "id=" + sid)
          .with_request_header("Origin", "http://127.0.0.1:4711"),
      record("SVC.Core.Share/1/get?password=Zx9-fixture-other!3", ok, sid),
  });
  const CassetteReader reader(cassette.path());
  const tools::VerifyPlan plan = tools::plan_verify(reader, true);
  CHECK(plan.of(NotAsked::hidden) == 1);
  REQUIRE(plan.questions.size() == 1);
  const http::Request request =
      tools::request_again(reader.get(plan.questions[0])->record, {"NEW-ID", "NEW/TOKEN", "NEW-DEVICE"});
  CHECK(request.target.find("_sid=NEW-ID") != std::string::npos);
  CHECK(request.target.find("<") == std::string::npos);
  CHECK(request.headers.first("Cookie") == "id=NEW-ID");
  CHECK_FALSE(request.headers.contains("Origin"));
}
