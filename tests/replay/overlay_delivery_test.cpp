// Overlays in the chain: faults, delays, changing files, and limits.

#include <catch2/catch.hpp>

#include "replay/overlays/overlay_store.h"
#include "tests/replay/overlay_server.h"

namespace tapedeck::replay {
namespace {

using namespace std::chrono_literals;
using testing::cassette_with;
using testing::error;
using testing::record;

TEST_CASE("overlays: faults and delays reach the connection") {
  const std::vector<std::pair<std::string, http::ConnectionFault>> faults = {
      {"reset", http::ConnectionFault::reset},
      {"close", http::ConnectionFault::close},
      {"garbage", http::ConnectionFault::garbage},
      {"hang", http::ConnectionFault::hang}};
  for (const auto& [name, connection_fault] : faults) {
    OverlayServer server(rule("name = \"f\"\nfault = \"" + name + "\"\ndelay = \"5ms\""));
    const auto exchange = server.exchange("SVC.Core.Share/1/list");
    CHECK(exchange->connection_fault() == connection_fault);
    CHECK(exchange->delays() == std::vector<std::chrono::microseconds>{5ms});
    CHECK(server.journal.entries(1, 1)[0]->overlay == "f");
  }
  OverlayServer empty(rule("fault = \"empty\"\nstatus = 502"));
  const auto nothing = empty.exchange("SVC.Core.Share/1/list");
  CHECK(nothing->response().status == 502);
  CHECK(nothing->response().body.empty());

  const auto cut_of = [](const std::string& lines) {
    OverlayServer server(rule(lines));
    return server.exchange("SVC.Core.Share/1/list")->response();
  };
  const http::Response half = cut_of("fault = \"cut\"");
  CHECK(half.body == share_answer.substr(0, share_answer.size() / 2));
  CHECK(header(half, "Content-Length") == std::to_string(share_answer.size()));
  CHECK(cut_of("cut = 3").body == share_answer.substr(0, 3));
  CHECK(cut_of("cut = 3\ndata = 1").body == R"({"d)");
  CHECK(cut_of("cut = 0").body.empty());
}

TEST_CASE("overlays: a delay alone does not change the outcome") {
  OverlayServer server(rule("name = \"slow\"\ndelay = \"1s\""));
  const auto exchange = server.exchange("SVC.Core.Share/1/list");
  CHECK(exchange->response().body == share_answer);
  CHECK(outcome(exchange->response()) == "recorded");
  CHECK(header(exchange->response(), "X-Tapedeck-Overlay") == "slow");
  CHECK(exchange->delays() == std::vector<std::chrono::microseconds>{1s});
}

TEST_CASE("overlays: --delay applies to every response that no overlay delays") {
  OverlayServer server(rule("delay = \"1ms\"", "Core.User/1/list"),
                       [](ReplayOptions& options) { options.delay = Delay(7ms); });
  using Delays = std::vector<std::chrono::microseconds>;
  CHECK(server.exchange("SVC.Core.Share/1/list")->delays() == Delays{7ms});
  CHECK(server.exchange("SVC.Core.Nothing/1/get")->delays() == Delays{7ms});
  CHECK(server.exchange("SVC.Core.User/1/list")->delays() == Delays{1ms});
}

TEST_CASE("overlays: a recorded delay takes as long as the recording") {
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

TEST_CASE("overlays: changes apply from the next request on") {
  OverlayServer server("");
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

TEST_CASE("overlays: conditions on parameters that the memo leaves out are checked for each request") {
  OverlayServer server(rule("error = 1\nparams = { _dc = 7 }"));
  for (int i = 0; i < 3; ++i) CHECK(call(*server.handler, "SVC.Core.Share/1/list?_dc=1").body == share_answer);
  CHECK(call(*server.handler, "SVC.Core.Share/1/list?_dc=7").body == error(1));
}

TEST_CASE("overlays: a response that violates the specification is reported once") {
  std::string warnings;
  OverlayServer server(rule("name = \"short\"\ndata = { dns_manual = 1 }", "Core.Network/1/get") + rule("data = {}"),
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

TEST_CASE("overlays: a response above the size limit is a miss and is not built") {
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
    OverlayServer server(rule(row.lines), [](ReplayOptions& options) {
      options.longest_body = 100'000;
      options.ignore_params = {"p"};
    });
    const http::Response response = call(*server.handler, parameter);
    CHECK(outcome(response) == "miss");
    CHECK(header(response, "X-Tapedeck-Miss").find("longer than 100000 bytes") != std::string::npos);
    CHECK(response.body.size() < 10'000);
  }
}

TEST_CASE("overlays: builds responses with missing parameters and responses just below the size limit") {
  std::string marks;
  for (int i = 0; i < 20'000; ++i) marks += "{{param.p}}";
  OverlayServer server(rule(R"(data = '{"a":")" + marks + R"("}')"),
                       [](ReplayOptions& options) { options.longest_body = 40'100; });
  CHECK(outcome(server.list()) == "overlay");
  CHECK(call(*server.handler, "SVC.Core.Share/1/list?p=xx").body.size() > 40'000);
  CHECK(outcome(call(*server.handler, "SVC.Core.Share/1/list?p=xxx")) == "miss");
}

TEST_CASE("overlays: an error in a file prevents the start and names the line") {
  CHECK_THROWS_WITH(OverlayServer(rule("errors = 1")), Catch::Contains("o.toml:3: unknown key `errors`"));
}

}  // namespace
}  // namespace tapedeck::replay
