// Overlays in the chain: what clients see of them.

#include <catch2/catch.hpp>
#include <fstream>

#include "api/envelope.h"
#include "http/message/urlencoded.h"
#include "journal/journal.h"
#include "replay/chain.h"
#include "replay/overlays/overlay_store.h"
#include "replay/overlays/overlay_turn.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using namespace std::chrono_literals;
using testing::cassette_with;
using testing::error;
using testing::record;
using testing::record_target;

const std::string share_answer = R"({"data": {"shares": [ {"name":"a"} ], "total" : 1.0}, "success" : true})";

/// A server with overlays over a cassette with two calls and a page.
struct Server {
  explicit Server(const std::string& toml, const std::function<void(ReplayOptions&)>& set = {})
      : cassette(cassette_with({record("SVC.Core.Share/1/list", share_answer),
                                record("SVC.Core.User/1/list", R"({"data":{"n":1},"success":true})"),
                                record("SVC.Core.User/1/list", R"({"data":{"n":2},"success":true})"),
                                record("SVC.Core.Share/1/create", R"({"success":true})"),
                                record_target("GET", "/page.html", "<html>"),
                                record("SVC.Entry.Request/1/request?compound=" + parts, whole)})) {
    std::ofstream(folder.file("o.toml")) << toml;
    ReplayOptions options;
    options.cassettes = {cassette.path()};
    options.overlay_files = {folder.file("o.toml")};
    options.journal = &journal;
    options.on_notice = [this](const Notice& notice) { notices += notice.text + "\n"; };
    if (set) set(options);
    handler.emplace(std::move(options), 1);
  }
  http::Response list() { return call(*handler, "SVC.Core.Share/1/list"); }
  std::shared_ptr<testing::FakeExchange> exchange(std::string_view text) {
    http::Request request;
    request.method = "GET";
    request.target = testing::target_of(text);
    auto made = std::make_shared<testing::FakeExchange>(std::move(request));
    handler->handle(made);
    return made;
  }

  static inline const std::string parts =
      R"([{"api":"SVC.Core.Share","method":"list","version":1},{"api":"SVC.Core.User","method":"list","version":1}])";
  static inline const std::string whole =
      R"({"data":{"has_fail":false,"result":[{"api":"SVC.Core.Share","data":{"whole":true},"method":"list","success":true,)"
      R"("version":1},{"api":"SVC.Core.User","data":{"whole":true},"method":"list","success":true,"version":1}]},)"
      R"("success":true})";
  testing::TestFolder folder;
  testing::TestCassette cassette;
  journal::Journal journal;
  std::string notices;
  std::optional<ReplayHandler> handler;
};

std::string rule(const std::string& lines, const std::string& call = "Core.Share/1/list") {
  return "[[overlay]]\ncall = \"" + call + "\"\n" + lines + "\n";
}

std::string header(const http::Response& response, std::string_view name) {
  return std::string(response.headers.first(name).value_or("none"));
}

TEST_CASE("overlays: a hand-written answer lies over the recording, and moves no cursor") {
  Server server(rule("name = \"full\"\ndata = { n = 0 }\ntimes = 1", "Core.User/1/list"));
  const http::Response answer = call(*server.handler, "SVC.Core.User/1/list");
  CHECK(answer.body == R"({"data":{"n":0},"success":true})");
  CHECK(answer.status == 200);
  CHECK(outcome(answer) == "overlay");
  CHECK(header(answer, "X-Tapedeck-Overlay") == "full");
  CHECK(header(answer, "Content-Type") == api::json_content_type);
  const http::Response below = call(*server.handler, "SVC.Core.User/1/list");
  CHECK(below.body == R"({"data":{"n":1},"success":true})");
  CHECK(header(below, "X-Tapedeck-Overlay") == "none");
  CHECK(server.handler->stats().overlay == 1);
  CHECK(server.handler->stats().recorded == 1);
  const auto lines = server.journal.entries(1, 10);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]->outcome == "overlay");
  CHECK(lines[0]->overlay == "full");
  CHECK(lines[0]->code == 0);
  CHECK(lines[1]->overlay.empty());
}

TEST_CASE("overlays: they lie over built-ins, fallbacks, misses, and paths that are no call") {
  Server server(
      rule("error = 407", "API.Auth/6/login") + rule("error = 117", "Core.Network/1/get") +
      rule("data = 1", "Core.Nothing/1/get") +
      "[[overlay]]\npath = \"GET /page.html\"\njson = \"<other>\"\nheaders = { Content-Type = \"text/html\" }\n");
  CHECK(call(*server.handler, "SVC.API.Auth/6/login?account=ann&passwd=made-up").body == error(407));
  CHECK(call(*server.handler, "SVC.Core.Network/1/get").body == error(117));
  CHECK(call(*server.handler, "SVC.Core.Nothing/1/get").body == R"({"data":1,"success":true})");
  const http::Response page = get(*server.handler, "/page.html");
  CHECK(page.body == "<other>");
  CHECK(header(page, "Content-Type") == "text/html");
}

TEST_CASE("overlays: a session that is refused gets 119 whatever they say") {
  Server server(rule("data = 1"), [](ReplayOptions& options) { options.auth = Auth::strict; });
  CHECK(call(*server.handler, "SVC.Core.Share/1/list?_sid=an-id-that-nobody-made").body == error(119));
  const std::string sid = log_in(*server.handler, "ann");
  CHECK(call(*server.handler, "SVC.Core.Share/1/list?_sid=" + sid).body == R"({"data":1,"success":true})");
}

TEST_CASE("overlays: patches change the recorded answer and leave its other bytes alone") {
  Server server(rule("name = \"p\"\npatch = [ { op = \"replace\", path = \"/data/shares/0/name\", value = \"é\" } ]"));
  const http::Response answer = server.list();
  CHECK(answer.body == R"({"data": {"shares": [ {"name":"é"} ], "total" : 1.0}, "success" : true})");
  CHECK(outcome(answer) == "overlay");
  CHECK(header(answer, "X-Tapedeck-Overlay") == "p");
  CHECK(server.journal.entries(1, 1)[0]->recording.size() == 16);

  Server merged(
      rule("merge = { data = { total = 7 } }\nstatus = 503\nheaders = { Retry-After = \"1\", Content-Type = \"\" }"));
  const http::Response changed = merged.list();
  CHECK(changed.body == R"({"data": {"shares": [ {"name":"a"} ], "total" : 7}, "success" : true})");
  CHECK(changed.status == 503);
  CHECK(header(changed, "Retry-After") == "1");
  CHECK(header(changed, "Content-Type") == "none");
}

TEST_CASE("overlays: several adjust one answer from the bottom up") {
  Server server(rule("name = \"top\"\npatch = [ { op = \"add\", path = \"/data/-\", value = 3 } ]") +
                rule("name = \"middle\"\npatch = [ { op = \"add\", path = \"/data/-\", value = 2 } ]\nstatus = 201") +
                rule("name = \"bottom\"\ndata = [1]\nstatus = 200"));
  const http::Response answer = server.list();
  CHECK(answer.body == R"({"data":[1,2,3],"success":true})");
  CHECK(answer.status == 201);
  CHECK(header(answer, "X-Tapedeck-Overlay") == "top, middle, bottom");
}

TEST_CASE("overlays: a failing test passes the overlay over") {
  Server server(
      rule("times = 1\nstatus = 500\npatch = [ { op = \"test\", path = \"/data/total\", value = 2 }, "
           "{ op = \"remove\", path = \"/data\" } ]"));
  const http::Response answer = server.list();
  CHECK(answer.body == share_answer);
  CHECK(answer.status == 200);
  CHECK(outcome(answer) == "recorded");
  CHECK(header(answer, "X-Tapedeck-Overlay") == "none");
  CHECK(server.handler->overlays().list()[0].plays == 0);
}

TEST_CASE("overlays: a patch that does not fit is a miss that names overlay and path") {
  Server server(rule("name = \"100 % wrong\"\npatch = [ { op = \"remove\", path = \"/data/none\" } ]") +
                "[[overlay]]\nname = \"of a page\"\npath = \"GET /page.html\"\nmerge = {}\n");
  const http::Response answer = server.list();
  CHECK(outcome(answer) == "miss");
  CHECK(header(answer, "X-Tapedeck-Miss") == "overlay \"100 %25 wrong\" cannot be applied: /data/none: no such path");
  CHECK(header(answer, "X-Tapedeck-Overlay") == "100 %25 wrong");
  CHECK(answer.body.find(R"("code":100)") != std::string::npos);
  CHECK(outcome(get(*server.handler, "/page.html")) == "miss");
  CHECK(server.handler->stats().misses == 2);
  CHECK(server.notices.find("o.toml:1") != std::string::npos);
}

TEST_CASE("overlays: a patched miss stays a miss") {
  Server server(rule("merge = { more = 1 }", "Core.Nothing/1/get"));
  const http::Response answer = call(*server.handler, "SVC.Core.Nothing/1/get");
  CHECK(outcome(answer) == "miss");
  CHECK(answer.body.find(R"("more":1)") != std::string::npos);
}

TEST_CASE("overlays: marks are the session's and the request's own") {
  Server server(
      rule("data = '{\"sid\":\"{{session.id}}\",\"t\":\"{{session.token}}\",\"d\":\"{{session.device_id}}\","
           "\"limit\":{{param.limit}},\"n\":{{count}}}'") +
          rule("patch = '[{\"op\":\"replace\",\"path\":\"/data/n\",\"value\":{{param.n}}}]'", "Core.User/1/list"),
      [](ReplayOptions& options) { options.ignore_params = {"n"}; });
  const std::string sid = log_in(*server.handler, "ann");
  const std::string first = call(*server.handler, "SVC.Core.Share/1/list?limit=5&_sid=" + sid).body;
  CHECK(first.starts_with(R"({"data":{"sid":")" + sid + R"(","t":")"));
  CHECK(first.find(R"("limit":5,"n":1})") != std::string::npos);
  CHECK(call(*server.handler, "SVC.Core.Share/1/list?limit=\"a b\"&_sid=" + sid).body.find(R"("limit":"a b","n":2})") !=
        std::string::npos);
  CHECK(call(*server.handler, "SVC.Core.User/1/list?n=[4]&_sid=" + sid).body == R"({"data":{"n":[4]},"success":true})");
}

TEST_CASE("overlays: counts are an account's, and an id's that never logged in") {
  Server server(rule("error = 117\ntimes = 1") + rule("error = 105\naccount = \"bob\""));
  const auto ask = [&](const std::string& sid) {
    return call(*server.handler, "SVC.Core.Share/1/list" + (sid.empty() ? "" : "?_sid=" + sid)).body;
  };
  const std::string ann = log_in(*server.handler, "ann");
  const std::string ann_again = log_in(*server.handler, "ann");
  const std::string bob = log_in(*server.handler, "bob");
  CHECK(ask(ann) == error(117));
  CHECK(ask(ann_again) == share_answer);
  CHECK(ask(bob) == error(117));
  CHECK(ask(bob) == error(105));
  CHECK(ask("an-id-of-a-fixture") == error(117));
  CHECK(ask("an-id-of-a-fixture") == share_answer);
  CHECK(ask("another-id-of-a-fixture") == error(117));
  CHECK(ask("") == error(117));
  CHECK(ask("") == share_answer);
}

TEST_CASE("overlays: an account is the same at its login and afterwards, however its name is spelled") {
  const std::string long_name(600, 'n');
  for (const auto& [name, sent] : std::vector<std::pair<std::string, std::string>>{
           {"ann", "ann"}, {"ann", "\"ann\""}, {"true", "true"}, {"10", "\"10\""}, {long_name, long_name}}) {
    CAPTURE(name, sent);
    const std::string account = "account = \"" + name + "\"";
    Server server(rule(account + "\nerror = 117") + rule(account + "\nheaders = { X-A = \"1\" }", "API.Auth/*/login"));
    const http::Response login =
        call(*server.handler, "SVC.API.Auth/6/login?account=" + http::percent_encode(sent) + "&passwd=made-up");
    CHECK(header(login, "X-A") == "1");
    CHECK(call(*server.handler, "SVC.Core.Share/1/list?_sid=" + string_in(login.body, "sid")).body == error(117));
  }
}

TEST_CASE("overlays: of a long account name no more is kept than of others") {
  CHECK(overlay_account_of(std::string(1'000'000, 'n')).size() < 100);
}

TEST_CASE("overlays: in a scope counts are the run's, and a rule may be for one scope alone") {
  Server server(rule("error = 117\ntimes = 1") + rule("error = 105\nscope = \"a%20test\""));
  const auto ask = [&](const std::string& scope) {
    return call(*server.handler, "SVC.Core.Share/1/list", {{"X-Tapedeck-Scope", scope}}).body;
  };
  CHECK(ask("a%20test") == error(117));
  CHECK(ask("a%20test") == error(105));
  CHECK(ask("a%20test#2") == error(117));
  CHECK(ask("a%20test#2") == error(105));
  CHECK(ask("other") == error(117));
  CHECK(ask("other") == share_answer);
  CHECK(server.list().body == error(117));
  CHECK(server.list().body == share_answer);
}

TEST_CASE("overlays: `after` waits for a call that succeeds, however it is answered") {
  Server server(rule("error = 1\nafter = \"Core.Share/1/create\"") +
                rule("error = 2\nafter = \"Core.Broken/*/*\"", "Core.User/1/list"));
  CHECK(server.list().body == share_answer);
  (void)call(*server.handler, "SVC.Core.Broken/1/set");
  CHECK(call(*server.handler, "SVC.Core.User/1/list").body == R"({"data":{"n":1},"success":true})");
  CHECK(call(*server.handler, "SVC.Core.Share/1/create").body == R"({"success":true})");
  CHECK(server.list().body == error(1));
}

TEST_CASE("overlays: `after` sees the parts of a compound that is played whole") {
  Server server(rule("error = 1\nafter = \"Core.User/1/list\"", "Core.Other/1/get"));
  CHECK(call(*server.handler, "SVC.Entry.Request/1/request?compound=" + Server::parts).body == Server::whole);
  CHECK(call(*server.handler, "SVC.Core.Other/1/get").body == error(1));
}

TEST_CASE("overlays: a recorded compound is taken apart for the part that an overlay answers") {
  Server plain("");
  CHECK(call(*plain.handler, "SVC.Entry.Request/1/request?compound=" + Server::parts).body == Server::whole);
  Server server(rule("name = \"one\"\nerror = 117\ndelay = \"20ms\""));
  const auto exchange = server.exchange("SVC.Entry.Request/1/request?compound=" + Server::parts);
  CHECK(
      exchange->response().body ==
      R"({"data":{"has_fail":true,"result":[{"api":"SVC.Core.Share","error":{"code":117},"method":"list","success":false,)"
      R"("version":1},{"api":"SVC.Core.User","data":{"n":1},"method":"list","success":true,"version":1}]},"success":true})");
  CHECK(header(exchange->response(), "X-Tapedeck-Overlay") == "one");
  CHECK(exchange->delays() == std::vector<std::chrono::microseconds>{20ms});
  // A fault hits the whole.
  Server faulty(rule("fault = \"reset\"", "Core.User/1/list"));
  CHECK(faulty.exchange("SVC.Entry.Request/1/request?compound=" + Server::parts)->mishap() == http::Mishap::reset);
}

TEST_CASE("overlays: a rule for a path is for whole requests, not for the parts of a compound") {
  Server server("[[overlay]]\nname = \"p\"\npath = \"GET /webapi/entry.cgi\"\nheaders = { X-A = \"1\" }\ntimes = 1\n");
  const std::string compound = "SVC.Entry.Request/1/request?compound=" + Server::parts;
  const http::Response first = call(*server.handler, compound);
  CHECK(first.body == Server::whole);
  CHECK(header(first, "X-A") == "1");
  CHECK(header(first, "X-Tapedeck-Overlay") == "p");
  const http::Response second = call(*server.handler, compound);
  CHECK(second.body == Server::whole);
  CHECK(header(second, "X-A") == "none");
  // Where it is taken apart for another rule, it is still the whole that has a path.
  Server apart("[[overlay]]\nname = \"p\"\npath = \"GET /webapi/entry.cgi\"\nmerge = { n = 1 }\n" +
               rule("error = 117"));
  CHECK(call(*apart.handler, compound).body ==
        R"({"data":{"has_fail":true,"result":[{"api":"SVC.Core.Share","error":{"code":117},"method":"list",)"
        R"("success":false,"version":1},{"api":"SVC.Core.User","data":{"n":1},"method":"list","success":true,)"
        R"("version":1}]},"success":true,"n":1})");
}

TEST_CASE(
    "overlays: a page that asks ten things at once sees the overlay for one of them, and nine recorded responses") {
  constexpr int count = 10;
  const auto part = [](int n) {
    return "{\"api\":\"SVC.Core.P" + std::to_string(n) + "\",\"method\":\"get\",\"version\":1}";
  };
  const auto answered = [](int n, const std::string& data) {
    return "{\"api\":\"SVC.Core.P" + std::to_string(n) + "\"," + data + ",\"version\":1}";
  };
  std::string asked, recorded, expected;
  for (int n = 0; n < count; ++n) {
    const std::string own = "\"data\":{ \"n\" : " + std::to_string(n) + "},\"method\":\"get\",\"success\":true";
    const std::string comma = n == 0 ? "" : ",";
    asked += comma + part(n);
    recorded += comma + answered(n, own);
    expected += comma + answered(n, n == 6 ? "\"data\":{\"by\":\"hand\"},\"method\":\"get\",\"success\":true" : own);
  }
  const std::string call_text = "SVC.Entry.Request/1/request?mode=parallel&compound=[" + asked + "]";
  const auto frame = [](const std::string& result) {
    return "{\"data\":{\"has_fail\":false,\"result\":[" + result + "]},\"success\":true}";
  };
  const auto cassette = cassette_with({record(call_text, frame(recorded))});
  journal::Journal journal;
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  options.journal = &journal;
  ReplayHandler handler(std::move(options), 1);
  CHECK(call(handler, call_text).body == frame(recorded));
  handler.overlays().post(read_posted_overlays(R"([{"call":"Core.P6/1/get","data":{"by":"hand"}}])"));
  CHECK(call(handler, call_text).body == frame(expected));
  unsigned by_hand = 0, played = 0;
  for (const auto& entry : journal.entries(2, 100)) {
    by_hand += entry->part && entry->outcome == "overlay" ? 1 : 0;
    played += entry->part && entry->outcome == "recorded" ? 1 : 0;
  }
  CHECK(by_hand == 1);
  CHECK(played == 9);
}

TEST_CASE("overlays: faults and delays reach the connection") {
  const std::vector<std::pair<std::string, http::Mishap>> mishaps = {{"reset", http::Mishap::reset},
                                                                     {"close", http::Mishap::close},
                                                                     {"garbage", http::Mishap::garbage},
                                                                     {"hang", http::Mishap::hang}};
  for (const auto& [name, mishap] : mishaps) {
    Server server(rule("name = \"f\"\nfault = \"" + name + "\"\ndelay = \"5ms\""));
    const auto exchange = server.exchange("SVC.Core.Share/1/list");
    CHECK(exchange->mishap() == mishap);
    CHECK(exchange->delays() == std::vector<std::chrono::microseconds>{5ms});
    CHECK(server.journal.entries(1, 1)[0]->overlay == "f");
  }
  Server empty(rule("fault = \"empty\"\nstatus = 502"));
  const auto nothing = empty.exchange("SVC.Core.Share/1/list");
  CHECK(nothing->response().status == 502);
  CHECK(nothing->response().body.empty());

  const auto cut_of = [](const std::string& lines) {
    Server server(rule(lines));
    return server.exchange("SVC.Core.Share/1/list")->response();
  };
  const http::Response half = cut_of("fault = \"cut\"");
  CHECK(half.body == share_answer.substr(0, share_answer.size() / 2));
  CHECK(header(half, "Content-Length") == std::to_string(share_answer.size()));
  CHECK(cut_of("cut = 3").body == share_answer.substr(0, 3));
  CHECK(cut_of("cut = 3\ndata = 1").body == R"({"d)");
  CHECK(cut_of("cut = 0").body.empty());
}

TEST_CASE("overlays: a delay alone leaves the recording what it is") {
  Server server(rule("name = \"slow\"\ndelay = \"1s\""));
  const auto exchange = server.exchange("SVC.Core.Share/1/list");
  CHECK(exchange->response().body == share_answer);
  CHECK(outcome(exchange->response()) == "recorded");
  CHECK(header(exchange->response(), "X-Tapedeck-Overlay") == "slow");
  CHECK(exchange->delays() == std::vector<std::chrono::microseconds>{1s});
  CHECK(exchange->was_prepared());
}

TEST_CASE("overlays: --delay is for every answer that no overlay delays") {
  Server server(rule("delay = \"1ms\"", "Core.User/1/list"),
                [](ReplayOptions& options) { options.delay = Delay(7ms); });
  using Delays = std::vector<std::chrono::microseconds>;
  CHECK(server.exchange("SVC.Core.Share/1/list")->delays() == Delays{7ms});
  CHECK(server.exchange("SVC.Core.Nothing/1/get")->delays() == Delays{7ms});
  CHECK(server.exchange("SVC.Core.User/1/list")->delays() == Delays{1ms});

  const auto drawn = [](std::uint64_t seed) {
    Server one("", [seed](ReplayOptions& options) {
      options.delay = Delay(LogNormalDelay{10ms, 1s});
      options.seed = seed;
    });
    Delays delays;
    for (int i = 0; i < 5; ++i) delays.push_back(one.exchange("SVC.Core.Share/1/list")->delays().at(0));
    return delays;
  };
  CHECK(drawn(1) == drawn(1));
  CHECK(drawn(1) != drawn(2));
}

TEST_CASE("overlays: a recorded delay is the recording's own") {
  const auto start = testing::fixture_start_us;
  const auto cassette = cassette_with({record("SVC.Core.Share/1/list", "1").at(start, start + 30'000)});
  testing::TestFolder folder;
  std::ofstream(folder.file("o.toml")) << rule("delay = \"recorded\"");
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  options.overlay_files = {folder.file("o.toml")};
  ReplayHandler handler(std::move(options), 1);
  http::Request request;
  request.method = "GET";
  request.target = testing::target_of("SVC.Core.Share/1/list");
  const auto exchange = std::make_shared<testing::FakeExchange>(std::move(request));
  handler.handle(exchange);
  std::chrono::microseconds sum{};
  for (const auto delay : exchange->delays()) sum += delay;
  CHECK(sum == 30ms);
}

TEST_CASE("overlays: what changes while a server runs is seen by the next request") {
  Server server("");
  CHECK(server.list().body == share_answer);
  CHECK(server.list().body == share_answer);
  const std::string set = server.handler->overlays().post(
      read_posted_overlays(R"([{"name":"posted","call":"Core.Share/1/list","error":117}])"));
  CHECK(server.list().body == error(117));
  CHECK(server.handler->overlays().enable("posted", false));
  CHECK(server.list().body == share_answer);
  CHECK(server.handler->overlays().enable("posted", true));
  CHECK(server.list().body == error(117));
  CHECK(server.handler->overlays().remove(set));
  CHECK(server.list().body == share_answer);
  CHECK(server.list().body == share_answer);
}

TEST_CASE(
    "overlays: what a request's text rules out once is asked again where conditions look at what the memo leaves out") {
  Server server(rule("error = 1\nparams = { _dc = 7 }"));
  for (int i = 0; i < 3; ++i) CHECK(call(*server.handler, "SVC.Core.Share/1/list?_dc=1").body == share_answer);
  CHECK(call(*server.handler, "SVC.Core.Share/1/list?_dc=7").body == error(1));
}

TEST_CASE("overlays: an answer of a specified operation that differs from the specification is said once") {
  std::string warnings;
  Server server(rule("name = \"short\"\ndata = { dns_manual = 1 }", "Core.Network/1/get") + rule("data = {}"),
                [&warnings](ReplayOptions& options) {
                  options.on_warning = [&warnings](const std::string& line) { warnings += line + "\n"; };
                });
  (void)call(*server.handler, "SVC.Core.Network/1/get");
  CHECK(warnings.find("overlay short differs from the specification") == 0);
  CHECK(warnings.find("data.dns_manual") != std::string::npos);
  const std::size_t said = warnings.size();
  (void)call(*server.handler, "SVC.Core.Network/1/get");
  (void)server.list();
  CHECK(warnings.size() == said);
}

TEST_CASE("overlays: a response that would be longer than it may is a miss, and is not built") {
  std::string copies = R"(patch = '[{"op":"add","path":"/data/l","value":["0123456789"]})";
  for (int i = 0; i < 40; ++i) copies += R"(,{"op":"copy","from":"/data/l","path":"/data/l/-"})";
  copies += "]'";
  std::string marks;
  for (int i = 0; i < 50'000; ++i) marks += "{{param.p}}";
  const std::string merged = R"(merge = '{"a":")" + marks + R"("}')", data = R"(data = '{"a":")" + marks + R"("}')";
  const std::string parameter = "SVC.Core.Share/1/list?p=" + std::string(30'000, 'x');
  struct Row {
    const char* what;
    std::string lines;
  };
  const Row rows[] = {
      {"copies of copies", copies},
      {"a patch with marks", R"(patch = '[{"op":"add","path":"/data/a","value":")" + marks + R"("}]')"},
      {"a merge with marks", merged},
      {"a response with marks", data},
      {"one of several responses", R"(answers = [ { data = { a = ")" + marks + R"(" } } ])"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Server server(rule(row.lines), [](ReplayOptions& options) {
      options.longest_body = 100'000;
      options.ignore_params = {"p"};
    });
    const http::Response response = call(*server.handler, parameter);
    CHECK(outcome(response) == "miss");
    CHECK(header(response, "X-Tapedeck-Miss").find("longer than 100000 bytes") != std::string::npos);
    CHECK(response.body.size() < 10'000);
  }
}

TEST_CASE("overlays: marks without a parameter and responses just below the bound are built") {
  std::string marks;
  for (int i = 0; i < 20'000; ++i) marks += "{{param.p}}";
  Server server(rule(R"(data = '{"a":")" + marks + R"("}')"),
                [](ReplayOptions& options) { options.longest_body = 40'100; });
  CHECK(outcome(server.list()) == "overlay");
  CHECK(call(*server.handler, "SVC.Core.Share/1/list?p=xx").body.size() > 40'000);
  CHECK(outcome(call(*server.handler, "SVC.Core.Share/1/list?p=xxx")) == "miss");
}

TEST_CASE("overlays: the parts of a compound have one bound together") {
  std::string marks;
  for (int i = 0; i < 900; ++i) marks += "{{param.p}}";
  std::string parts;
  for (int i = 0; i < 10; ++i) {
    parts += std::string(i == 0 ? "" : ",") + R"({"api":"SVC.Core.Share","method":"list","version":1,"p":")" +
             std::string(100, 'x') + R"("})";
  }
  struct Device : End {
    void handle(std::shared_ptr<http::Exchange> exchange, const Visit&) override {
      exchange->respond(http::Response());
    }
  } device;
  Server server(rule(R"(data = '{"a":")" + marks + R"("}')"), [&device](ReplayOptions& options) {
    options.longest_body = 200'000;
    options.end = &device;
  });
  const std::string body = call(*server.handler, "SVC.Entry.Request/1/request?compound=[" + parts + "]").body;
  CHECK(body.size() > 180'000);
  CHECK(body.size() < 220'000);
}

TEST_CASE("overlays: a mistake in a file ends the start with its line") {
  CHECK_THROWS_WITH(Server(rule("errors = 1")), Catch::Contains("o.toml:3: unknown key `errors`"));
}

}  // namespace
}  // namespace tapedeck::replay
