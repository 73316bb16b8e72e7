// delay = "recorded" and --delay recorded: answers take as long as they took, and streams keep their pace.

#include <catch2/catch.hpp>

#include "replay/overlays/overlay_file.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using namespace std::chrono_literals;
using testing::cassette_with;
using testing::fixture_start_us;
using testing::record;
using Delays = std::vector<std::chrono::microseconds>;

/// Keeps the pieces in which a body came.
struct PieceExchange : testing::FakeExchange {
  using LocalExchange::LocalExchange;
  using LocalExchange::write;
  void write(http::SharedBytes bytes) override {
    pieces.emplace_back(bytes.bytes);
    LocalExchange::write(std::move(bytes));
  }
  std::vector<std::string> pieces;
};

/// 10 ms to the first byte, pieces at 20 and 50 ms, the end at 90 ms.
testing::Recorded stream(const std::string& call, const std::vector<std::string>& pieces, const std::string& sid = "") {
  std::string body;
  std::vector<api::StreamEvent> events;
  for (const std::string& piece : pieces) {
    body += piece;
    events.push_back({fixture_start_us + (events.empty() ? 20'000 : 50'000), body.size()});
  }
  testing::Recorded made = record(call, body, sid).at(fixture_start_us, fixture_start_us + 90'000);
  made.interaction.first_byte_us = fixture_start_us + 10'000;
  made.interaction.events = std::move(events);
  return made;
}

struct DelayingServer {
  explicit DelayingServer(std::vector<testing::Recorded> recorded, const std::string& posted = "")
      : cassette(cassette_with(std::move(recorded))) {
    ReplayOptions options;
    options.cassettes = {cassette.path()};
    if (posted.empty()) options.delay = Delay(RecordedDelay{});
    handler.emplace(std::move(options), 1);
    if (!posted.empty()) handler->overlays().post(read_posted_overlays(posted));
  }
  std::shared_ptr<PieceExchange> ask(const std::string& call, http::Headers headers = {}) {
    http::Request request;
    request.method = "GET";
    request.target = testing::target_of(call);
    request.headers = std::move(headers);
    auto exchange = std::make_shared<PieceExchange>(std::move(request));
    handler->handle(exchange);
    CHECK(exchange->answers() == 1);
    return exchange;
  }
  testing::TestCassette cassette;
  std::optional<ReplayHandler> handler;
};

TEST_CASE("delays: an answer takes as long as it was recorded, to its first byte and to its end") {
  testing::Recorded slow = record("SVC.Core.Share/1/list", testing::ok).at(fixture_start_us, fixture_start_us + 30'000);
  slow.interaction.first_byte_us = fixture_start_us + 10'000;
  DelayingServer server({std::move(slow)});
  const auto exchange = server.ask("SVC.Core.Share/1/list");
  CHECK(exchange->delays() == Delays{10ms, 20ms});
  CHECK(exchange->response().body == testing::ok);
  CHECK(exchange->response().headers.first("Content-Length") == std::to_string(testing::ok.size()));
  // What is not recorded took no time.
  CHECK(server.ask("SVC.Core.Other/1/get")->delays().empty());
}

TEST_CASE("delays: a recorded stream keeps its pace, piece by piece") {
  const std::vector<std::string> pieces = {"data: one\n\n", "data: two\n\n", "data: three\n\n"};
  DelayingServer server({stream("SVC.Core.Log/1/stream", pieces)});
  const auto exchange = server.ask("SVC.Core.Log/1/stream");
  CHECK(exchange->delays() == Delays{10ms, 10ms, 30ms, 40ms});
  CHECK(exchange->pieces == pieces);
  // A range of it has no pieces of its own.
  const auto range = server.ask("SVC.Core.Log/1/stream", {{"Range", "bytes=6-8"}});
  CHECK(range->response().body == "one");
  CHECK(range->delays() == Delays{10ms, 80ms});
}

TEST_CASE("delays: pieces end where they ended, when other values stand in them") {
  const std::string sid = "fixtureSession0123456789abcdefghijklmnop";
  DelayingServer server({testing::login("ann", sid).at(fixture_start_us - 5'000, fixture_start_us - 4'000),
                 stream("SVC.Core.Log/1/stream", {"{\"sid\":\"" + sid + "\"", ",\"n\":1", "}"}, sid)});
  const std::string own = log_in(*server.handler, "ann");
  const auto exchange = server.ask("SVC.Core.Log/1/stream?_sid=" + own);
  CHECK(exchange->pieces == std::vector<std::string>{"{\"sid\":\"", own, "\"", ",\"n\":1", "}"});
  CHECK(exchange->delays() == Delays{10ms, 10ms, 30ms, 40ms});
}

TEST_CASE("delays: a body that an overlay changes comes when the recorded one had come") {
  const std::string call = R"("call":"Core.Log/1/stream")";
  const std::vector<std::string> pieces = {"{\"a\":1", ",\"b\":2", "}"};
  DelayingServer patched({stream("SVC.Core.Log/1/stream", pieces)},
                 "[{" + call + R"(,"merge":{"a":7}},{)" + call + R"(,"delay":"recorded"}])");
  const auto exchange = patched.ask("SVC.Core.Log/1/stream");
  CHECK(exchange->response().body == R"({"a":7,"b":2})");
  CHECK(exchange->pieces.size() == 1);
  CHECK(exchange->delays() == Delays{10ms, 80ms});
  // The topmost delay is the one that counts.
  DelayingServer above({stream("SVC.Core.Log/1/stream", pieces)},
               "[{" + call + R"(,"delay":"7ms"},{)" + call + R"(,"delay":"recorded"}])");
  CHECK(above.ask("SVC.Core.Log/1/stream")->delays() == Delays{7ms});
}

TEST_CASE("delays: a stream of ten thousand pieces is sent whole") {
  std::vector<std::string> pieces(10'000, "data: x\n\n");
  testing::Recorded made = stream("SVC.Core.Log/1/stream", pieces);
  for (std::size_t i = 0; i < made.interaction.events.size(); ++i) {
    made.interaction.events[i].at_us = fixture_start_us + 10'000 + static_cast<std::int64_t>(i) * 7;
  }
  DelayingServer server({std::move(made)});
  const auto exchange = server.ask("SVC.Core.Log/1/stream");
  CHECK(exchange->pieces.size() == 10'000);
  CHECK(exchange->response().body.size() == 90'000);
}

}  // namespace
}  // namespace tapedeck::replay
