// Overlays in the chain, as clients see them.

#include <catch2/catch.hpp>

#include "api/envelope.h"
#include "http/message/urlencoded.h"
#include "replay/overlays/overlay_owner.h"
#include "replay/overlays/overlay_store.h"
#include "tests/replay/overlay_server.h"

namespace tapedeck::replay {
namespace {

using namespace std::chrono_literals;
using testing::cassette_with;
using testing::error;
using testing::record;

TEST_CASE("overlays: a hand-written response replaces the recording and moves no position") {
  OverlayServer server(rule("name = \"full\"\ndata = { n = 0 }\ntimes = 1", "Core.User/1/list"));
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

TEST_CASE("overlays: replace built-in responses, fallbacks, misses, and responses to other paths") {
  OverlayServer server(
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

TEST_CASE("overlays: a refused session gets 119 regardless of overlays") {
  OverlayServer server(rule("data = 1"), [](ReplayOptions& options) { options.auth = Auth::strict; });
  CHECK(call(*server.handler, "SVC.Core.Share/1/list?_sid=an-id-that-nobody-made").body == error(119));
  const std::string sid = log_in(*server.handler, "ann");
  CHECK(call(*server.handler, "SVC.Core.Share/1/list?_sid=" + sid).body == R"({"data":1,"success":true})");
}

TEST_CASE("overlays: patches change the recorded response and keep its other bytes") {
  OverlayServer server(
      rule("name = \"p\"\npatch = [ { op = \"replace\", path = \"/data/shares/0/name\", value = \"é\" } ]"));
  const http::Response answer = server.list();
  CHECK(answer.body == R"({"data": {"shares": [ {"name":"é"} ], "total" : 1.0}, "success" : true})");
  CHECK(outcome(answer) == "overlay");
  CHECK(header(answer, "X-Tapedeck-Overlay") == "p");
  CHECK(server.journal.entries(1, 1)[0]->recording.size() == 16);

  OverlayServer merged(
      rule("merge = { data = { total = 7 } }\nstatus = 503\nheaders = { Retry-After = \"1\", Content-Type = \"\" }"));
  const http::Response changed = merged.list();
  CHECK(changed.body == R"({"data": {"shares": [ {"name":"a"} ], "total" : 7}, "success" : true})");
  CHECK(changed.status == 503);
  CHECK(header(changed, "Retry-After") == "1");
  CHECK(header(changed, "Content-Type") == "none");
}

TEST_CASE("overlays: several change one response from the bottom up") {
  OverlayServer server(
      rule("name = \"top\"\npatch = [ { op = \"add\", path = \"/data/-\", value = 3 } ]") +
      rule("name = \"middle\"\npatch = [ { op = \"add\", path = \"/data/-\", value = 2 } ]\nstatus = 201") +
      rule("name = \"bottom\"\ndata = [1]\nstatus = 200"));
  const http::Response answer = server.list();
  CHECK(answer.body == R"({"data":[1,2,3],"success":true})");
  CHECK(answer.status == 201);
  CHECK(header(answer, "X-Tapedeck-Overlay") == "top, middle, bottom");
}

TEST_CASE("overlays: a failed `test` operation skips the overlay") {
  OverlayServer server(
      rule("times = 1\nstatus = 500\npatch = [ { op = \"test\", path = \"/data/total\", value = 2 }, "
           "{ op = \"remove\", path = \"/data\" } ]"));
  const http::Response answer = server.list();
  CHECK(answer.body == share_answer);
  CHECK(answer.status == 200);
  CHECK(outcome(answer) == "recorded");
  CHECK(header(answer, "X-Tapedeck-Overlay") == "none");
  CHECK(server.handler->overlays().list()[0].plays == 0);
}

TEST_CASE("overlays: a patch that cannot be applied is a miss that names overlay and path") {
  OverlayServer server(rule("name = \"100 % wrong\"\npatch = [ { op = \"remove\", path = \"/data/none\" } ]") +
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
  OverlayServer server(rule("merge = { more = 1 }", "Core.Nothing/1/get"));
  const http::Response answer = call(*server.handler, "SVC.Core.Nothing/1/get");
  CHECK(outcome(answer) == "miss");
  CHECK(answer.body.find(R"("more":1)") != std::string::npos);
}

TEST_CASE("overlays: marks have the values of the session and the request") {
  OverlayServer server(
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

TEST_CASE("overlays: counts belong to the account, or to an ID that never logged in") {
  OverlayServer server(rule("error = 117\ntimes = 1") + rule("error = 105\naccount = \"bob\""));
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
    OverlayServer server(rule(account + "\nerror = 117") +
                         rule(account + "\nheaders = { X-A = \"1\" }", "API.Auth/*/login"));
    const http::Response login =
        call(*server.handler, "SVC.API.Auth/6/login?account=" + http::percent_encode(sent) + "&passwd=made-up");
    CHECK(header(login, "X-A") == "1");
    CHECK(call(*server.handler, "SVC.Core.Share/1/list?_sid=" + string_in(login.body, "sid")).body == error(117));
  }
}

TEST_CASE("overlays: shorten long account names") {
  CHECK(overlay_account_of(std::string(1'000'000, 'n')).size() < 100);
}

TEST_CASE("overlays: in a scope, counts belong to the run, and a rule may be limited to a scope") {
  OverlayServer server(rule("error = 117\ntimes = 1") + rule("error = 105\nscope = \"a%20test\""));
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

TEST_CASE("overlays: `after` waits for a successful call from any source") {
  OverlayServer server(rule("error = 1\nafter = \"Core.Share/1/create\"") +
                       rule("error = 2\nafter = \"Core.Broken/*/*\"", "Core.User/1/list"));
  CHECK(server.list().body == share_answer);
  (void)call(*server.handler, "SVC.Core.Broken/1/set");
  CHECK(call(*server.handler, "SVC.Core.User/1/list").body == R"({"data":{"n":1},"success":true})");
  CHECK(call(*server.handler, "SVC.Core.Share/1/create").body == R"({"success":true})");
  CHECK(server.list().body == error(1));
}

TEST_CASE("overlays: `after` sees the parts of a compound that is replayed as a whole") {
  OverlayServer server(rule("error = 1\nafter = \"Core.User/1/list\"", "Core.Other/1/get"));
  CHECK(call(*server.handler, "SVC.Entry.Request/1/request?compound=" + OverlayServer::parts).body ==
        OverlayServer::whole);
  CHECK(call(*server.handler, "SVC.Core.Other/1/get").body == error(1));
}

TEST_CASE("overlays: a recorded compound is handled part by part if an overlay responds to a part") {
  OverlayServer plain("");
  CHECK(call(*plain.handler, "SVC.Entry.Request/1/request?compound=" + OverlayServer::parts).body ==
        OverlayServer::whole);
  OverlayServer server(rule("name = \"one\"\nerror = 117\ndelay = \"20ms\""));
  const auto exchange = server.exchange("SVC.Entry.Request/1/request?compound=" + OverlayServer::parts);
  CHECK(
      exchange->response().body ==
      R"({"data":{"has_fail":true,"result":[{"api":"SVC.Core.Share","error":{"code":117},"method":"list","success":false,)"
      R"("version":1},{"api":"SVC.Core.User","data":{"n":1},"method":"list","success":true,"version":1}]},"success":true})");
  CHECK(header(exchange->response(), "X-Tapedeck-Overlay") == "one");
  CHECK(exchange->delays() == std::vector<std::chrono::microseconds>{20ms});
  // A fault affects the whole.
  OverlayServer faulty(rule("fault = \"reset\"", "Core.User/1/list"));
  CHECK(faulty.exchange("SVC.Entry.Request/1/request?compound=" + OverlayServer::parts)->connection_fault() ==
        http::ConnectionFault::reset);
}

TEST_CASE("overlays: a rule for a path matches whole requests, not parts of a compound") {
  OverlayServer server(
      "[[overlay]]\nname = \"p\"\npath = \"GET /webapi/entry.cgi\"\nheaders = { X-A = \"1\" }\ntimes = 1\n");
  const std::string compound = "SVC.Entry.Request/1/request?compound=" + OverlayServer::parts;
  const http::Response first = call(*server.handler, compound);
  CHECK(first.body == OverlayServer::whole);
  CHECK(header(first, "X-A") == "1");
  CHECK(header(first, "X-Tapedeck-Overlay") == "p");
  const http::Response second = call(*server.handler, compound);
  CHECK(second.body == OverlayServer::whole);
  CHECK(header(second, "X-A") == "none");
  // If another rule makes it be handled part by part, the path still belongs to the whole.
  OverlayServer apart("[[overlay]]\nname = \"p\"\npath = \"GET /webapi/entry.cgi\"\nmerge = { n = 1 }\n" +
                      rule("error = 117"));
  CHECK(call(*apart.handler, compound).body ==
        R"({"data":{"has_fail":true,"result":[{"api":"SVC.Core.Share","error":{"code":117},"method":"list",)"
        R"("success":false,"version":1},{"api":"SVC.Core.User","data":{"n":1},"method":"list","success":true,)"
        R"("version":1}]},"success":true,"n":1})");
}

TEST_CASE("overlays: a compound of ten calls gets the overlay for one of them and nine recorded responses") {
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

}  // namespace
}  // namespace tapedeck::replay
