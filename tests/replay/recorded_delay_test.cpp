// delay = "recorded" and --delay recorded: responses take as long as recorded, and streams keep their pace.

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

/// Collects the pieces of a body.
struct PieceExchange : testing::FakeExchange {
  using LocalExchange::LocalExchange;
  using LocalExchange::write;
  void write(http::SharedBytes bytes) override {
    pieces.emplace_back(bytes.bytes);
    LocalExchange::write(std::move(bytes));
  }
  std::vector<std::string> pieces;
};

/// Sends the first byte after 10 ms, pieces after 20 and 50 ms, and the end after 90 ms.
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

TEST_CASE("delays: a response takes as long as recorded, to its first byte and to its end") {
  testing::Recorded slow = record("SVC.Core.Share/1/list", testing::ok).at(fixture_start_us, fixture_start_us + 30'000);
  slow.interaction.first_byte_us = fixture_start_us + 10'000;
  DelayingServer server({std::move(slow)});
  const auto exchange = server.ask("SVC.Core.Share/1/list");
  CHECK(exchange->delays() == Delays{10ms, 20ms});
  CHECK(exchange->response().body == testing::ok);
  CHECK(exchange->response().headers.first("Content-Length") == std::to_string(testing::ok.size()));
  // Responses that were not recorded have no delay.
  CHECK(server.ask("SVC.Core.Other/1/get")->delays().empty());
}

TEST_CASE("delays: a recorded stream keeps its pace, piece by piece") {
  const std::vector<std::string> pieces = {"data: one\n\n", "data: two\n\n", "data: three\n\n"};
  DelayingServer server({stream("SVC.Core.Log/1/stream", pieces)});
  const auto exchange = server.ask("SVC.Core.Log/1/stream");
  CHECK(exchange->delays() == Delays{10ms, 10ms, 30ms, 40ms});
  CHECK(exchange->pieces == pieces);
  // A range has no pieces.
  const auto range = server.ask("SVC.Core.Log/1/stream", {{"Range", "bytes=6-8"}});
  CHECK(range->response().body == "one");
  CHECK(range->delays() == Delays{10ms, 80ms});
}

TEST_CASE("delays: pieces keep their ends when values in them change") {
  const std::string sid = "fixtureSession0123456789abcdefghijklmnop";
  DelayingServer server({testing::login("ann", sid).at(fixture_start_us - 5'000, fixture_start_us - 4'000),
                         stream("SVC.Core.Log/1/stream", {"{\"sid\":\"" + sid + "\"", ",\"n\":1", "}"}, sid)});
  const std::string own = log_in(*server.handler, "ann");
  const auto exchange = server.ask("SVC.Core.Log/1/stream?_sid=" + own);
  CHECK(exchange->pieces == std::vector<std::string>{"{\"sid\":\"" + own + "\"", ",\"n\":1", "}"});
  CHECK(exchange->delays() == Delays{10ms, 10ms, 30ms, 40ms});
}

TEST_CASE("delays: a body that an overlay changes is sent when the recorded one was complete") {
  const std::string call = R"("call":"Core.Log/1/stream")";
  const std::vector<std::string> pieces = {"{\"a\":1", ",\"b\":2", "}"};
  DelayingServer patched({stream("SVC.Core.Log/1/stream", pieces)},
                         "[{" + call + R"(,"merge":{"a":7}},{)" + call + R"(,"delay":"recorded"}])");
  const auto exchange = patched.ask("SVC.Core.Log/1/stream");
  CHECK(exchange->response().body == R"({"a":7,"b":2})");
  CHECK(exchange->pieces.size() == 1);
  CHECK(exchange->delays() == Delays{10ms, 80ms});
  // Only the topmost delay applies.
  DelayingServer above({stream("SVC.Core.Log/1/stream", pieces)},
                       "[{" + call + R"(,"delay":"7ms"},{)" + call + R"(,"delay":"recorded"}])");
  CHECK(above.ask("SVC.Core.Log/1/stream")->delays() == Delays{7ms});
}

TEST_CASE("delays: a stream of ten thousand pieces is sent completely") {
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

/// The recording with this index, whose first byte came after this time.
testing::Recorded waiting(testing::Recorded made, std::size_t index, std::chrono::milliseconds time) {
  const std::int64_t start = fixture_start_us + static_cast<std::int64_t>(index) * 60'000'000;
  const std::int64_t end = start + std::chrono::microseconds(time).count();
  testing::Recorded late = std::move(made).at(start, end);
  late.interaction.first_byte_us = end;
  return late;
}

TEST_CASE("delays: a poll beyond the last recording waits as long as the longest recorded one") {
  const std::string poll = "/webapi/entry.cgi?api=SYNO.Entry.Request.Polling&version=1&method=list";
  const std::string engine = "/socket.io/?EIO=4&transport=polling&sid=lv3kX9mT2bLr8wZpAAAC";
  const struct {
    std::string target;
    std::vector<std::chrono::milliseconds> recorded;
    AtEnd at_end;
    Delays expected;  ///< of the request after the last recording
    std::string body;
  } rows[] = {
      {poll, {300ms, 1500ms, 20ms}, AtEnd::stick, {1500ms}, "2"},
      {poll, {300ms, 1500ms}, AtEnd::loop, {}, "0"},
      {poll, {300ms, 1500ms}, AtEnd::miss, {}, "a miss"},
      {engine, {30ms, 10ms}, AtEnd::stick, {1000ms}, "1"},
      {engine, {25'000ms}, AtEnd::stick, {1000ms}, "0"},
      {"/socket.io/?EIO=4&transport=polling", {30ms, 10ms}, AtEnd::stick, {}, "1"},
      {"/events", {2500ms, 4000ms}, AtEnd::stick, {4000ms}, "1"},
      {"/events", {2500ms, 1999ms}, AtEnd::stick, {}, "1"},
  };
  for (const auto& row : rows) {
    INFO(row.target << " " << row.recorded.size());
    std::vector<testing::Recorded> recorded;
    for (const auto time : row.recorded) {
      const std::size_t index = recorded.size();
      recorded.push_back(waiting(testing::record_target("GET", row.target, std::to_string(index)), index, time));
    }
    const auto cassette = cassette_with(std::move(recorded));
    ReplayOptions options = playing(cassette);
    options.at_end = row.at_end;
    ReplayHandler handler(std::move(options), 1);
    for (std::size_t i = 0; i <= row.recorded.size(); ++i) {
      const bool is_beyond = i == row.recorded.size();
      const auto exchange = std::make_shared<testing::FakeExchange>(http::Request{"GET", row.target, 1, {}, {}});
      handler.handle(exchange);
      CHECK(exchange->delays() == (is_beyond ? row.expected : Delays{}));
      if (row.body == "a miss" && is_beyond) {
        CHECK(outcome(exchange->response()) == "miss");
      } else {
        CHECK(exchange->response().body == (is_beyond ? row.body : std::to_string(i)));
      }
    }
  }
}

}  // namespace
}  // namespace tapedeck::replay
