// The order of the steps, responses of an end that come later, and how compounds are counted.
#include "replay/stages/answer.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "journal/journal.h"
#include "replay/overlays/overlay_store.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using journal::Journal;

/// Keeps the exchange, like a recorder that waits for its device.
struct LateEnd : End {
  void handle(std::shared_ptr<http::Exchange> exchange, const RequestContext& /*context*/) override {
    waiting.push_back(std::move(exchange));
  }
  std::vector<std::shared_ptr<http::Exchange>> waiting;
};

/// A server with an end, an overlay for B, and one for D after C.
struct LateServer {
  LateServer() {
    ReplayOptions options;
    options.end = &end;
    handler.emplace(options, 1);
    handler->overlays().post(read_posted_overlays(R"([{"call":"B/1/get","data":{"by":"hand"}},)"
                                                  R"({"call":"D/1/get","after":"C/1/get","data":{"by":"hand"}}])"));
  }
  std::shared_ptr<testing::FakeExchange> ask(const std::string& target) {
    http::Request request;
    request.method = "GET";
    request.target = target;
    auto exchange = std::make_shared<testing::FakeExchange>(std::move(request));
    handler->handle(exchange);
    return exchange;
  }
  LateEnd end;
  std::optional<ReplayHandler> handler;
};

/// A compound of B and another API, as a target.
std::string compound_target(const std::string& other) {
  return testing::target_of(R"(SVC.Entry.Request/1/request?compound=[{"api":"SVC.B","version":1,"method":"get"},)"
                            R"({"api":"SVC.)" +
                                other + R"(","version":1,"method":"get"}])",
                            "x");
}

/// The device's response to that compound.
http::Response device_response(const std::string& other) {
  const auto part = [](const std::string& api) {
    return R"({"api":"SVC.)" + api + R"(","data":{"by":"device"},"method":"get","success":true,"version":1})";
  };
  return {200,
          "OK",
          {},
          R"({"data":{"has_fail":false,"result":[)" + part("B") + "," + part(other) + R"(]},"success":true})"};
}

/// Returns who responded to each part.
std::string sources(const http::Response& response) {
  std::string all;
  const auto body = nlohmann::json::parse(response.body);
  for (const auto& part : body.at("data").at("result")) {
    all += part.at("api").get<std::string>() + " " + part.at("data").at("by").get<std::string>() + " ";
  }
  return all;
}

}  // namespace

TEST_CASE("answer: an earlier step responds instead of a later one") {
  const auto cassette = testing::cassette_with({testing::record("SVC.Core.Network/1/get", testing::ok)});
  ReplayOptions options = playing(cassette);
  options.auth = Auth::strict;
  ReplayHandler handler(options, 1);
  const std::string sid = log_in(handler, "ann");
  const auto outcome_of = [&](const std::string& text) { return outcome(call(handler, text + "?_sid=" + sid)); };
  CHECK(outcome_of("SVC.Core.Network/1/get") == "recorded");
  CHECK(outcome_of("SVC.Core.AppPortal/1/list") == "fallback");
  CHECK(outcome_of("SVC.Core.Share/1/list") == "miss");
  handler.overlays().post(read_posted_overlays(R"([{"call":"Core.*/1/*","data":{}}])"));
  CHECK(outcome_of("SVC.Core.Network/1/get") == "overlay");
  CHECK(outcome_of("SVC.Core.Share/1/list") == "overlay");
  CHECK(outcome(call(handler, "SVC.Core.Network/1/get?_sid=unknown")) == "builtin");
}

TEST_CASE("answer: a late response of the end needs neither the request nor a change, and is noted for `after`") {
  LateServer server;
  const std::string call = testing::target_of("SVC.C/1/get", "x"), next = testing::target_of("SVC.D/1/get", "x");
  const http::Response response{200, "OK", {}, R"({"data":{"by":"device"},"success":true})"};
  CHECK(server.ask(next)->answers() == 0);
  const auto client = server.ask(call);
  REQUIRE(server.end.waiting.size() == 2);
  (void)client->take_request();  // as when the connection is closed
  server.end.waiting[1]->respond(response);
  CHECK(client->response().body == response.body);
  CHECK(client->answers() == 1);
  const auto after = server.ask(next);
  CHECK(after->answers() == 1);
  CHECK(after->response().body.find("hand") != std::string::npos);
  CHECK(server.handler->stats().recorded == 0);
}

TEST_CASE("answer: a compound goes to the end as a whole, without overlays, and its parts are noted") {
  LateServer server;
  const auto client = server.ask(compound_target("C"));
  REQUIRE(server.end.waiting.size() == 1);
  server.end.waiting[0]->respond(device_response("C"));
  CHECK(sources(client->response()) == "SVC.B device SVC.C device ");
  CHECK(server.ask(testing::target_of("SVC.B/1/get", "x"))->answers() == 1);
  CHECK(server.ask(testing::target_of("SVC.D/1/get", "x"))->answers() == 1);
}

TEST_CASE("answer: a stream of the end is sent unchanged") {
  LateServer server;
  const auto live = server.ask("/webapi/entry.cgi?api=A.C&version=1&method=get");
  http::Exchange& exchange = *server.end.waiting.at(0);
  exchange.start(http::Response{200, "OK", {}, {}});
  exchange.write("one ");
  CHECK(live->response().body == "one ");
  exchange.write("two");
  exchange.finish();
  CHECK(live->response().body == "one two");
  CHECK(live->answers() == 1);
}

namespace {

std::string compound_of(const std::string& parts, const std::string& rest = {}) {
  return "api=SVC.Entry.Request&method=request&version=1" + rest + "&compound=[" + parts + "]";
}

}  // namespace

TEST_CASE("replay: counts and journals fallbacks and misses within compounds") {
  Journal journal;
  ReplayOptions options;
  options.journal = &journal;
  ReplayHandler handler(options, 1);
  (void)post(handler, "/webapi/entry.cgi",
             compound_of(R"({"api":"SVC.Core.Network","method":"get","version":1},)"
                         R"({"api":"SVC.No.Such","method":"Get","version":1})"));
  std::string lines;
  for (const auto& line : journal.entries(1, 10)) {
    lines += line->api + " " + line->method + " " + line->outcome +
             (line->part ? " part " + std::to_string(*line->part) : "") + "\n";
  }
  CHECK(lines ==
        "SVC.Core.Network get fallback part 0\n"
        "SVC.No.Such get miss part 1\n"
        "SVC.Entry.Request request miss\n");
  const ReplayStats stats = handler.stats();
  CHECK(stats.fallback == 1);
  CHECK(stats.misses == 2);
  CHECK(stats.distinct_misses == 1);

  (void)post(handler, "/webapi/entry.cgi", compound_of(R"({"api":"SVC.Core.Network","method":"get","version":1})"));
  CHECK(handler.stats().fallback == 2);
  CHECK(handler.stats().builtin == 1);
}

TEST_CASE("replay: the CSRF token of a compound applies to its parts") {
  const std::string id = "0123456789abcdefSessionOne";
  const auto cassette = testing::cassette_with({
      testing::login("ann", id),
      testing::record("SVC.Core.Share/1/list", R"({"data":{"n":1},"success":true})", id)
          .with_request_header("X-SYNO-TOKEN", "fixtureToken1"),
  });
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  options.auth = Auth::strict;
  ReplayHandler handler(options, 1);
  const std::string sid =
      string_in(call(handler, "SVC.API.Auth/6/login?account=ann&passwd=made-up&format=sid").body, "sid");
  const std::string parts = R"({"api":"SVC.Core.Share","method":"list","version":1})";
  const auto codes = [&](const std::string& rest) {
    return post(handler, "/webapi/entry.cgi", compound_of(parts, "&_sid=" + sid + rest)).body;
  };
  CHECK(codes("").find("\"code\":119") != std::string::npos);
  CHECK(codes("&SynoToken=any").find("\"n\":1") != std::string::npos);
}

}  // namespace tapedeck::replay
