// The chain itself, with test links and a test end, and how it handles compounds.
#include "replay/chain/chain.h"

#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "journal/journal.h"
#include "replay/chain/thread_state.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using journal::Journal;

/// With `answers`, replies with its name. Adds its name to each reply of a later stage.
class Named {
 public:
  explicit Named(std::string name, bool answers = false) : name_(std::move(name)), answers_(answers) {}
  Link at(Stage stage) {
    return {stage,
            [this](RequestContext&, ThreadState&) {
              ++asked;
              return answers_ ? reply_with(Reply::json(Outcome::builtin, name_)) : pass_on();
            },
            [this](RequestContext& context, ThreadState&, Reply& reply) {
              reply.response.body = reply.body() + "<" + name_ + " " + context.key().text;
              reply.prepared.reset();
            }};
  }
  int asked = 0;

 private:
  std::string name_;
  bool answers_;
};

/// Returns an observer that adds the outcome of each reply to `seen`.
Chain::Observe note_in(std::string& seen) {
  return [&seen](RequestContext& context, const Reply& reply, ThreadState&) {
    seen += std::string(to_string(reply.outcome)) + (context.parsed().part() ? " part;" : ";");
  };
}

/// Keeps the exchange, like a recorder that waits for its device.
struct LateEnd : End {
  void handle(std::shared_ptr<http::Exchange> exchange, const RequestContext& /*context*/) override {
    waiting.push_back(std::move(exchange));
  }
  std::vector<std::shared_ptr<http::Exchange>> waiting;
};

http::Request request_of(std::string_view target) {
  http::Request request;
  request.method = "GET";
  request.target = target;
  return request;
}

/// A chain of a session check, an overlay, and a player, none of which replies, and an end.
struct LateChain {
  Named session{"session"}, overlay{"overlay"}, player{"player"};
  LateEnd end;
  std::string seen;
  Chain chain{{session.at(Stage::session), overlay.at(Stage::overlay), player.at(Stage::player)}, note_in(seen), &end};
  ThreadState thread{4096};
  Scopes scopes;

  RequestContext context_of(const http::Request& request) {
    return {request, {}, thread.cassettes.policy(), thread.memo, scopes.outside()};
  }
  std::shared_ptr<testing::FakeExchange> ask(const std::string& target) {
    auto exchange = std::make_shared<testing::FakeExchange>(request_of(target));
    chain.handle(exchange, context_of(exchange->request()), thread);
    return exchange;
  }
};

}  // namespace

TEST_CASE("chain: the first stage that replies ends the search, and only stages above it change the reply") {
  Named session("session"), overlay("overlay"), player("player", true), miss("miss", true);
  std::string seen;
  const Chain chain(
      {session.at(Stage::session), overlay.at(Stage::overlay), player.at(Stage::player), miss.at(Stage::miss)},
      note_in(seen));
  ThreadState thread(4096);
  Scopes scopes;
  const http::Request request = request_of("/a");
  RequestContext context(request, {}, thread.cassettes.policy(), thread.memo, scopes.outside());
  CHECK(chain.answer(context, thread)->body() == "player<overlay GET /a<session GET /a");
  CHECK(miss.asked == 0);
  CHECK(seen == "builtin;");
}

TEST_CASE("chain: parts of compounds skip the session, login, and compound stages") {
  Named session("session", true), overlay("overlay"), login("login", true), compound("compound", true),
      fallback("fallback", true);
  LateEnd end;
  const Chain chain({session.at(Stage::session), overlay.at(Stage::overlay), login.at(Stage::login),
                     compound.at(Stage::compound), fallback.at(Stage::fallback)},
                    {}, &end);
  ThreadState thread(4096);
  Scopes scopes;
  const http::Request request = request_of("/a");
  RequestContext context(request, {}, thread.cassettes.policy(), thread.memo, scopes.outside());
  CHECK(chain.for_parts().answer(context, thread)->body() == "fallback<overlay GET /a");
}

TEST_CASE("chain: a request sent to the end skips the remaining stages") {
  const Link to_end{Stage::device, [](RequestContext&, ThreadState&) { return go_to_end(); }};
  Named session("session"), player("player", true);
  LateEnd end;
  const Chain chain({session.at(Stage::session), to_end, player.at(Stage::player)}, {}, &end);
  ThreadState thread(4096);
  Scopes scopes;
  const auto exchange = std::make_shared<testing::FakeExchange>(request_of("/a"));
  chain.handle(exchange, {exchange->request(), {}, thread.cassettes.policy(), thread.memo, scopes.outside()}, thread);
  CHECK(player.asked == 0);
  CHECK(end.waiting.size() == 1);
}

TEST_CASE("chain: sorts links by stage") {
  Named one("one"), other("other");
  CHECK_THROWS_AS(Chain({one.at(Stage::player), other.at(Stage::overlay)}), std::logic_error);
}

TEST_CASE("chain: the stages change a later response of the end") {
  LateChain late;
  // Three requests, so that the thread's memo knows the text and lends it.
  for (int i = 0; i < 3; ++i) (void)late.ask("/webapi/entry.cgi?api=A.B&version=1&method=get&_sid=x");
  const auto first = late.ask("/webapi/entry.cgi?api=A.B&version=1&method=get&_sid=x");
  const auto second = late.ask("/webapi/entry.cgi?api=A.C&version=1&method=get");
  for (int i = 0; i < 3'000; ++i) (void)late.ask("/other/" + std::to_string(i / 3));  // the memo drops the text
  CHECK(first->answers() == 0);
  late.end.waiting[4]->respond(http::Response{200, "OK", {}, "device"});
  late.end.waiting[3]->respond(http::Response{200, "OK", {}, "device"});
  CHECK(first->response().body == "device<player A.B/1/get<overlay A.B/1/get<session A.B/1/get");
  CHECK(second->response().body == "device<player A.C/1/get<overlay A.C/1/get<session A.C/1/get");
  CHECK(first->answers() == 1);
  CHECK(late.seen.empty());
}

TEST_CASE("chain: a late response does not need the client's request any more") {
  LateChain late;
  const std::string call = "/webapi/entry.cgi?api=A.B&version=1&method=get&_sid=x", other = "/other";
  for (const std::string& target : {call, call, call, other}) {
    const auto client = late.ask(target);
    (void)client->take_request();  // as when the connection is closed
    late.end.waiting.back()->respond(http::Response{200, "OK", {}, "device"});
    const std::string key = target == call ? "A.B/1/get" : "GET /other";
    CHECK(client->response().body == "device<player " + key + "<overlay " + key + "<session " + key);
  }
}

TEST_CASE("chain: the stages change an immediate response of the end, but not a stream") {
  LateChain late;
  const auto whole = late.ask("/whole");
  const std::string_view pieces[] = {"de", "vice"};
  late.end.waiting[0]->respond(http::PreparedReply{"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n", pieces, nullptr});
  CHECK(whole->response().body == "device<player GET /whole<overlay GET /whole<session GET /whole");

  const auto live = late.ask("/live");
  http::Exchange& exchange = *late.end.waiting[1];
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
