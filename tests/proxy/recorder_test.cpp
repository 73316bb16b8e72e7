#include "proxy/recorder.h"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <thread>

#include "http/io/buffer_charge.h"
#include "scrubbers/scrubber.h"
#include "tests/support/fake_exchange.h"

using namespace tapedeck;
using proxy::Recorder;
using proxy::RecorderStats;

namespace {

const http::BaseUrl nas = http::BaseUrl::parse("http://nas.example:5000/dsm");
const std::string session_id = "Qx7mZp2LrT9vWc4KsYb8";

/// Receives the device's requests, and lets the test respond to them. Keeps interactions until the test commits them as
/// one group.
class FakePort : public http::Device, public cassettes::InteractionStore {
 public:
  void forward(std::shared_ptr<http::Exchange> of, http::Request its_head, std::string_view its_body, bool body_is_read,
               std::shared_ptr<http::RelayClient> asked_by) override {
    exchange = std::move(of);
    head = std::move(its_head);
    body = its_body;
    is_read = body_is_read;
    client = std::move(asked_by);
  }
  /// Passes the device's response like the relay. Returns the body that the client gets.
  std::string answer(http::Ending ending, std::string content, const std::string& detail = {}) {
    http::Relayed relayed;
    relayed.has_head = ending != http::Ending::unreachable;
    relayed.response.headers.add("Content-Type", "application/json");
    client->rewrite(relayed.response);
    relayed.response.body = std::move(content);
    relayed.ending = ending;
    relayed.detail = detail;
    relayed.started = std::chrono::system_clock::now();
    relayed.first_byte = relayed.ended = relayed.started + std::chrono::milliseconds(5);
    relayed.pieces = {{relayed.first_byte, 3}, {relayed.ended, relayed.response.body.size()}};
    released = 0;
    return *client->ended(std::move(relayed), http::Receipt([this] { ++released; }));
  }

  void append(scrubbers::ScrubbedInteraction interaction, std::function<void(bool)> done, std::uint64_t,
              const cassettes::SocketPlace&) override {
    if (fails) throw std::runtime_error("out of luck near " + session_id);
    records.push_back(interaction.record());
    waiting_.push_back(std::move(done));
  }
  void after_group(std::function<void()> told) override { told_ = std::move(told); }
  void tell(cassettes::TakeEvent event) override { events.push_back(std::move(event)); }
  void flush() override {
    if (commits_at_flush) commit(true);
  }
  void commit(bool fine) {
    for (const auto& done : std::exchange(waiting_, {})) done(fine);
    told_();
  }

  std::shared_ptr<http::Exchange> exchange;
  http::Request head;
  std::string body;
  bool is_read = false;
  std::shared_ptr<http::RelayClient> client;
  std::atomic<int> released = 0;
  bool fails = false, commits_at_flush = false;
  std::vector<scrubbers::InteractionRecord> records;
  std::vector<cassettes::TakeEvent> events;
  scrubbers::Scrubber scrubber{[] {
    scrubbers::ScrubberOptions options;
    options.base_path = nas.path;
    return options;
  }()};

 private:
  std::vector<std::function<void(bool)>> waiting_;
  std::function<void()> told_;
};

struct Deck {
  explicit Deck(bool block_writes = false)
      : recorder({nas, false, block_writes, {}}, {port, port.scrubber, port, scopes}, told()) {}
  proxy::Recorder::Callbacks told() {
    return {[this](std::span<const proxy::RecordedLine> all) { lines.insert(lines.end(), all.begin(), all.end()); },
            [this](const std::string& why) { faults.push_back(why); },
            [this](const std::string& origin, bool) { origins.push_back(origin); }};
  }
  std::shared_ptr<testing::FakeExchange> ask(const std::string& method = "list", std::string body = {}) {
    http::Request request;
    request.method = body.empty() ? "GET" : "POST";
    request.target = "/dsm/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=" + method + "&_sid=" + session_id;
    request.headers.add("Host", "127.0.0.1:8080");
    request.body = std::move(body);
    auto exchange = std::make_shared<testing::FakeExchange>(std::move(request));
    recorder.handle(exchange);
    return exchange;
  }

  FakePort port;
  std::vector<proxy::RecordedLine> lines;
  std::vector<std::string> faults, origins;
  proxy::RecordingScopes scopes;
  Recorder recorder;
};

}  // namespace

TEST_CASE("recorder: the result depends on how the response ended and on its commit (recorder.h, 1)") {
  using api::Completeness;
  using http::Ending;
  enum Commit { in_time, late, fails, late_and_fails, early };
  const struct {
    std::string name;
    Ending ending;
    Commit commit;
    Completeness completeness;
    std::string reason;
    RecorderStats stats;  ///< requests, recorded, scrubbed, withheld, broken, stopped, not_recorded, blocked
  } rows[] = {
      {"committed", Ending::whole, in_time, Completeness::complete, "", {1, 1, 1, 0, 0, 0, 0, 0}},
      {"overdue", Ending::whole, late, Completeness::complete, "", {1, 1, 1, 0, 0, 0, 0, 0}},
      {"overdue and failed", Ending::whole, late_and_fails, Completeness::complete, "", {1, 0, 0, 0, 0, 0, 1, 0}},
      {"committed before that is known", Ending::whole, early, Completeness::complete, "", {1, 1, 1, 0, 0, 0, 0, 0}},
      {"failed", Ending::whole, fails, Completeness::complete, "", {1, 0, 0, 0, 0, 0, 1, 0}},
      {"ended by the client", Ending::ended_by_client, in_time, Completeness::complete, "", {1, 1, 1, 0, 0, 0, 0, 0}},
      {"stopped", Ending::stopped, in_time, Completeness::broken, "stopped: why", {1, 0, 1, 0, 1, 1, 0, 0}},
      {"too long", Ending::too_long, in_time, Completeness::withheld, "too long: why", {1, 0, 1, 1, 0, 0, 0, 0}},
      {"cut", Ending::cut, in_time, Completeness::broken, "cut: why", {1, 0, 1, 0, 1, 0, 0, 0}},
      {"badly framed",
       Ending::bad_framing,
       in_time,
       Completeness::broken,
       "bad framing: why",
       {1, 0, 1, 0, 1, 0, 0, 0}},
      {"timed out", Ending::timed_out, in_time, Completeness::broken, "timed out: why", {1, 0, 1, 0, 1, 0, 0, 0}},
      {"unreachable", Ending::unreachable, in_time, Completeness::broken, "unreachable: why", {1, 0, 1, 0, 1, 0, 0, 0}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Deck deck;
    deck.ask();
    const std::string body = row.ending == Ending::too_long ? "" : R"({"success":true})";
    const bool is_good = row.completeness == Completeness::complete;
    CHECK(deck.port.answer(row.ending, body, is_good ? "" : "why") == body);
    CHECK(deck.port.released == 0);
    const bool is_late = row.commit == late || row.commit == late_and_fails;
    const bool is_committed = row.commit != fails && row.commit != late_and_fails;
    const std::shared_ptr<http::RelayClient> client = deck.port.client;
    if (is_late) client->commit_overdue();
    if (is_late) CHECK(deck.recorder.stats().not_recorded == 1);
    deck.port.commit(is_committed);
    if (row.commit == early) client->commit_overdue();
    CHECK(deck.port.released == 1);
    REQUIRE(deck.port.records.size() == 1);
    const scrubbers::InteractionRecord& record = deck.port.records[0];
    CHECK(record.completeness == row.completeness);
    CHECK(record.reason == row.reason);
    CHECK(record.ended_by_client == (row.ending == Ending::ended_by_client));
    CHECK(record.first_byte_us - record.started_us == 5000);
    CHECK(record.key.text == "SYNO.Core.Share/1/list");
    REQUIRE(deck.lines.size() == 1);
    CHECK(deck.lines[0].committed == is_committed);
    CHECK(deck.lines[0].overdue == is_late);
    const RecorderStats stats = deck.recorder.stats();
    CHECK(stats.requests == row.stats.requests);
    CHECK(stats.recorded == row.stats.recorded);
    CHECK(stats.scrubbed == row.stats.scrubbed);
    CHECK(stats.withheld == row.stats.withheld);
    CHECK(stats.broken == row.stats.broken);
    CHECK(stats.stopped == row.stats.stopped);
    CHECK(stats.not_recorded == row.stats.not_recorded);
    CHECK(deck.faults.empty());
  }
}

TEST_CASE("recorder: the client gets its own bytes, and the store gets scrubbed ones") {
  Deck deck;
  deck.ask();
  const std::string body = R"({"data":{"sid":")" + session_id + R"("},"success":true})";
  CHECK(deck.port.head.target.find("/dsm/webapi/entry.cgi?") == 0);
  CHECK(deck.port.head.target.find(session_id) != std::string::npos);
  CHECK(deck.port.is_read);
  CHECK(deck.port.answer(http::Ending::whole, body) == body);
  deck.port.commit(true);
  CHECK(deck.port.records[0].response.body.find(session_id) == std::string::npos);
  CHECK(deck.port.records[0].request.target.find(session_id) == std::string::npos);
  REQUIRE(deck.port.records[0].events.size() == 2);
  CHECK(deck.port.records[0].events[1].end == deck.port.records[0].response.body.size());
}

TEST_CASE("recorder: a body that is scrubbed on the other thread stays valid for the client") {
  Deck deck;
  deck.ask();
  const std::string body(200'000, 'b');
  const std::size_t before = http::BufferCharge::total();
  std::shared_ptr<const std::string> given;
  http::Relayed relayed;
  relayed.response.body = body;
  given = deck.port.client->ended(std::move(relayed), http::Receipt());
  deck.recorder.drain();
  REQUIRE(deck.port.records.size() == 1);
  CHECK(http::BufferCharge::total() == before + 2 * body.size());
  deck.port.commit(true);
  deck.port.client.reset();
  CHECK(*given == body);
  CHECK(http::BufferCharge::total() == before + body.size());
  given.reset();
  CHECK(http::BufferCharge::total() == before);
}

TEST_CASE("recorder: a large request is charged with its copy and keyed by its parameters") {
  Deck deck;
  const std::size_t before = http::BufferCharge::total();
  http::Request request;
  request.method = "POST";
  request.target = "/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=list";
  request.headers.add("Host", "127.0.0.1:8080");
  request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  request.body = "a=1&note=" + std::string(200'000, 'n');
  const std::size_t sent = request.body.size();
  deck.recorder.handle(std::make_shared<testing::FakeExchange>(std::move(request)));
  CHECK(http::BufferCharge::total() == before + 2 * sent);
  (void)deck.port.answer(http::Ending::whole, R"({"success":true})");
  deck.recorder.drain();
  REQUIRE(deck.port.records.size() == 1);
  CHECK(deck.port.records[0].key.text.starts_with("SYNO.Core.Share/1/list?a=1"));
  deck.port.commit(true);
  deck.port.client.reset();
  CHECK(http::BufferCharge::total() == before);
}

TEST_CASE("recorder: with block_writes, a write gets a response and is neither sent nor stored") {
  Deck deck(true);
  const auto exchange = deck.ask("delete");
  CHECK(deck.port.client == nullptr);
  CHECK(exchange->response().headers.first("X-Tapedeck-Blocked") == "write");
  CHECK(exchange->response().body.find("105") != std::string::npos);
  CHECK(deck.recorder.stats().blocked == 1);
  CHECK(deck.port.records.empty());
  deck.ask("list");
  CHECK(deck.port.client != nullptr);
}

TEST_CASE("recorder: an internal failure is counted and reported scrubbed, and its client is served") {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{200'000}}) {
    CAPTURE(bytes);
    Deck deck;
    deck.port.fails = true;
    deck.ask();
    CHECK(deck.port.answer(http::Ending::whole, std::string(bytes, 'x')).size() == bytes);
    deck.recorder.drain();
    CHECK(deck.port.released == 1);
    CHECK(deck.recorder.stats().not_recorded == 1);
    REQUIRE(deck.faults.size() == 1);
    CHECK(deck.faults[0].find("out of luck") != std::string::npos);
    CHECK(deck.faults[0].find(session_id) == std::string::npos);
    deck.port.fails = false;
    deck.ask();
    (void)deck.port.answer(http::Ending::whole, "{}");
    deck.port.commit(true);
    CHECK(deck.recorder.stats().recorded == 1);
  }
}

TEST_CASE("recorder: a request without a kept body is withheld, and its beginning is learned") {
  class LongExchange : public testing::FakeExchange {
   public:
    using LocalExchange::LocalExchange;
    [[nodiscard]] bool body_is_open() const override { return true; }
  };
  for (const bool blocks : {false, true}) {
    CAPTURE(blocks);
    Deck deck(blocks);
    http::Request request;
    request.method = "POST";
    request.target = "/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=list";
    request.headers.add("Host", "127.0.0.1:8080");
    request.headers.add("Content-Type", "application/x-www-form-urlencoded");
    request.headers.add("Content-Length", "99999999");
    request.body = "_sid=" + session_id + "&note=" + std::string(1000, 'n');
    const std::string beginning = request.body;
    deck.recorder.handle(std::make_shared<LongExchange>(std::move(request)));
    if (blocks) {
      CHECK(deck.port.client == nullptr);  // its content is unknown
      continue;
    }
    CHECK(deck.port.body == beginning);
    (void)deck.port.answer(http::Ending::whole, R"({"echo":")" + session_id + R"("})");
    deck.port.commit(true);
    const scrubbers::InteractionRecord& record = deck.port.records.at(0);
    CHECK(record.completeness == api::Completeness::withheld);
    CHECK(record.reason == "the request body is longer than --max-request-body");
    CHECK(record.request.body.empty());
    CHECK(record.response.body.empty());
    CHECK(deck.port.scrubber.scrub_text("in " + session_id).find(session_id) == std::string::npos);
    CHECK(deck.recorder.stats().withheld == 1);
  }
}

TEST_CASE("recorder: another origin of the device's host is reported once") {
  Deck deck;
  for (int i = 0; i < 3; ++i) {
    deck.ask();
    http::Response head;
    head.headers.add("Location", "https://nas.example:5001/dsm/");
    deck.port.client->rewrite(head);
    CHECK(head.headers.first("Location") == "http://127.0.0.1:8080/dsm/");
  }
  CHECK(deck.origins == std::vector<std::string>{"https://nas.example:5001"});
}

TEST_CASE("recorder: removes a scope before device, key, and stored request are set") {
  struct Row {
    std::string target, header, scope;
    std::uint32_t run;
  };
  const std::string call = "/dsm/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=list";
  for (const Row& row : {Row{call, "a%20b", "a b", 1}, Row{"/~scope/a%20b;3" + call, "", "a b", 3},
                         Row{"/~scope/x" + call, "y#2", "y", 2}, Row{call, "", "", 1}}) {
    CAPTURE(row.target, row.header);
    Deck deck;
    http::Request request;
    request.method = "GET";
    request.target = row.target;
    request.headers.add("Host", "127.0.0.1:8080");
    request.headers.add("Referer", "http://127.0.0.1:8080/~scope/a/page");
    if (!row.header.empty()) request.headers.add("X-Tapedeck-Scope", row.header);
    const auto exchange = std::make_shared<testing::FakeExchange>(std::move(request));
    deck.recorder.handle(exchange);
    CHECK(deck.port.head.target == call);
    CHECK_FALSE(deck.port.head.headers.contains("X-Tapedeck-Scope"));
    CHECK(deck.port.head.headers.first("Referer") == "http://nas.example:5000/dsm/page");
    (void)deck.port.answer(http::Ending::whole, R"({"success":true})");
    REQUIRE(deck.port.records.size() == 1);
    const scrubbers::InteractionRecord& record = deck.port.records.front();
    CHECK(record.scope == row.scope);
    CHECK(record.run == row.run);
    CHECK(record.request.target == call.substr(4));
    CHECK(record.request.headers.first("Referer") == "/page");
    CHECK(record.key.text == "SYNO.Core.Share/1/list");
    deck.port.commit(true);
    CHECK(deck.lines.back().scope == row.scope);
  }
}

TEST_CASE("recorder: a scope's segment stays in the client's response and not in the stored one") {
  Deck deck;
  http::Request request;
  request.method = "GET";
  request.target = "/~scope/a%20b/webman/login.cgi";
  request.headers.add("Host", "127.0.0.1:8080");
  deck.recorder.handle(std::make_shared<testing::FakeExchange>(std::move(request)));
  http::Relayed relayed;
  relayed.has_head = true;
  relayed.response.status = 302;
  relayed.response.headers.add("Location", "http://nas.example:5000/dsm/next");
  relayed.response.headers.add("Set-Cookie", "id=1; path=/");
  deck.port.client->rewrite(relayed.response);
  CHECK(relayed.response.headers.first("Location") == "http://127.0.0.1:8080/~scope/a%20b/dsm/next");
  CHECK(relayed.response.headers.first("Set-Cookie") == "id=1; path=/~scope/a%20b/");
  (void)deck.port.client->ended(std::move(relayed), http::Receipt([] {}));
  REQUIRE(deck.port.records.size() == 1);
  const http::Headers& stored = deck.port.records.front().response.headers;
  CHECK(stored.first("Location") == "/dsm/next");
  CHECK(stored.first("Set-Cookie").value_or("").find("path=/~scope/") == std::string_view::npos);
}

TEST_CASE("recorder: an invalid scope is refused with 400") {
  Deck deck;
  http::Request request;
  request.method = "GET";
  request.target = "/x";
  request.headers.add("X-Tapedeck-Scope", "a#0");
  const auto exchange = std::make_shared<testing::FakeExchange>(std::move(request));
  deck.recorder.handle(exchange);
  CHECK(exchange->response().status == 400);
  CHECK(deck.port.records.empty());
}

TEST_CASE("recorder: does not end before the store has called it for the last time") {
  FakePort port;
  port.commits_at_flush = true;
  proxy::RecordingScopes scopes;
  std::size_t lines = 0;
  auto recorder = std::make_unique<Recorder>(
      proxy::RecorderOptions{nas, false, false, {}}, proxy::RecorderParts{port, port.scrubber, port, scopes},
      proxy::Recorder::Callbacks{[&](std::span<const proxy::RecordedLine> all) { lines += all.size(); }, {}, {}});
  http::Request request;
  request.method = "GET";
  request.target = "/dsm/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=list";
  recorder->handle(std::make_shared<testing::FakeExchange>(std::move(request)));
  port.answer(http::Ending::whole, R"({"success":true})");
  CHECK(lines == 0);
  recorder.reset();
  CHECK(lines == 1);
}
