#include "proxy/exchanged_device.h"

#include <catch2/catch.hpp>
#include <deque>

#include "tests/support/fake_exchange.h"

using namespace tapedeck;
using proxy::ExchangedDevice;

namespace {

const http::BaseUrl exchange_nas = http::BaseUrl::parse("http://nas.example:5000");
const std::string own_id = "own-session-id-of-the-client", own_token = "own-csrf-token";
const std::string refused = R"({"error":{"code":119},"success":false})";

std::string id_at_device(int number) { return "device-session-id-number-" + std::to_string(number); }
std::string token_at_device(int number) { return "device-token-" + std::to_string(number); }

/// Logs in as often as requested, or refuses.
class Logins : public proxy::DeviceCalls {
 public:
  void ask(http::Request request, Done done) override {
    proxy::DeviceReply reply;
    reply.ending = http::Ending::whole;
    if (request.target.find("API.Info") != std::string::npos) {
      reply.answer.body = R"({"data":{"SYNO.API.Auth":{"maxVersion":6,"path":"entry.cgi"}},"success":true})";
    } else if (refuses) {
      ++logins;
      reply.answer.body = R"({"error":{"code":400},"success":false})";
    } else {
      ++logins;
      reply.answer.body = R"({"data":{"sid":")" + id_at_device(logins) + R"(","synotoken":")" +
                          token_at_device(logins) + R"("},"success":true})";
    }
    waiting.push_back([done = std::move(done), reply] { done(reply); });
    if (!is_slow) answer_all();
  }
  void answer_all() {
    while (!waiting.empty()) {
      const auto next = std::move(waiting.front());
      waiting.pop_front();
      next();
    }
  }
  int logins = 0;
  bool refuses = false, is_slow = false;
  std::deque<std::function<void()>> waiting;
};

/// Replaces the relay: stores requests until the test responds.
struct Forwarded {
  std::shared_ptr<http::Exchange> exchange;
  http::Request head;
  std::string body;
  std::shared_ptr<http::RelayClient> client;
};
class ScriptedExchange : public proxy::Device {
 public:
  void forward(std::shared_ptr<http::Exchange> exchange, http::Request head, std::string_view body, bool /*is_read*/,
               std::shared_ptr<http::RelayClient> client) override {
    forwarded.push_back({std::move(exchange), std::move(head), std::string(body), std::move(client)});
  }
  /// Ends like a Transfer with a complete response.
  void answer(std::size_t which, const std::string& body, http::Headers headers = {}) {
    const Forwarded call = forwarded.at(which);
    http::Relayed relayed;
    relayed.has_head = true;
    relayed.response.headers = std::move(headers);
    call.client->rewrite(relayed.response);
    const http::Response head = relayed.response;
    relayed.response.body = body;
    const auto to_send = call.client->ended(std::move(relayed), http::Receipt());
    call.exchange->respond(head, http::SharedBytes{*to_send, to_send});
  }
  std::vector<Forwarded> forwarded;
};

/// Replaces the recorder: forwards requests, and keeps what it would store.
class ClientSide : public http::Handler {
 public:
  struct Call : http::RelayClient {
    void rewrite(http::Response& head) override { headers = head.headers; }
    std::shared_ptr<const std::string> ended(http::Relayed&& relayed, http::Receipt) override {
      ++endings;
      body = std::make_shared<const std::string>(relayed.response.body);
      pieces = relayed.pieces;
      return body;
    }
    void commit_overdue() override {}
    int endings = 0;
    http::Headers headers;
    std::shared_ptr<const std::string> body;
    std::vector<http::Relayed::Piece> pieces;
  };
  void handle(std::shared_ptr<http::Exchange> exchange) override {
    http::Request request = exchange->take_request();
    calls.push_back(std::make_shared<Call>());
    bodies.push_back(std::exchange(request.body, {}));
    device->forward(std::move(exchange), std::move(request), bodies.back(), true, calls.back());
  }
  proxy::Device* device = nullptr;
  std::deque<std::string> bodies;
  std::vector<std::shared_ptr<Call>> calls;
};

struct ExchangeDesk {
  ExchangeDesk() { recorder.device = &client; }
  std::shared_ptr<testing::FakeExchange> ask(const std::string& more, http::Headers headers = {},
                                             std::string body = {}) {
    http::Request request{body.empty() ? "GET" : "POST",
                          "/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=list" + more, 1, std::move(headers),
                          std::move(body)};
    auto exchange = std::make_shared<testing::FakeExchange>(std::move(request));
    recorder.handle(exchange);
    return exchange;
  }

  Logins logins;
  ScriptedExchange device;
  proxy::DeviceSession session{exchange_nas, proxy::DeviceAccount("ann", "secret"), logins, {}};
  ExchangedDevice exchanged{device, session, "", 1024};
  proxy::ClientDevice client{exchanged, {own_id, own_token, {}}};
  ClientSide recorder;
};

}  // namespace

TEST_CASE("exchanged device: the device gets its own session, and client and recorder get the client's") {
  ExchangeDesk desk;
  const auto exchange = desk.ask("&_sid=" + own_id, {{"X-SYNO-TOKEN", own_token}, {"Accept-Encoding", "gzip"}});
  REQUIRE(desk.device.forwarded.size() == 1);
  const http::Request& sent = desk.device.forwarded[0].head;
  CHECK(sent.target.ends_with("&_sid=" + id_at_device(1)));
  CHECK(sent.headers.first("X-SYNO-TOKEN") == token_at_device(1));
  CHECK(sent.headers.first("Accept-Encoding") == "identity");
  const std::string answer =
      R"({"data":{"url":"http:\/\/x\/?_sid=)" + id_at_device(1) + "&t=" + token_at_device(1) + "\"}}";
  desk.device.answer(0, answer, {{"Location", "/x?_sid=" + id_at_device(1)}});
  const std::string wanted = R"({"data":{"url":"http:\/\/x\/?_sid=)" + own_id + "&t=" + own_token + "\"}}";
  CHECK(exchange->response().body == wanted);
  CHECK(exchange->response().headers.first("Location") == "/x?_sid=" + own_id);
  CHECK(exchange->answers() == 1);
  CHECK(*desk.recorder.calls[0]->body == wanted);
  CHECK(desk.recorder.calls[0]->headers.first("Location") == "/x?_sid=" + own_id);
}

TEST_CASE("exchanged device: adds the token for a client that has none, but not to a call without a session") {
  ExchangeDesk desk;
  desk.ask("&_sid=" + own_id);
  CHECK(desk.device.forwarded[0].head.headers.first("X-SYNO-TOKEN") == token_at_device(1));
  desk.ask("");
  CHECK_FALSE(desk.device.forwarded[1].head.headers.contains("X-SYNO-TOKEN"));
  desk.ask("", {{"Cookie", "id=" + own_id}});
  CHECK(desk.device.forwarded[2].head.headers.first("Cookie") == "id=" + id_at_device(1));
  CHECK(desk.logins.logins == 1);
}

TEST_CASE("exchanged device: a request without a session opens none") {
  ExchangeDesk desk;
  const auto exchange = desk.ask("");
  CHECK(desk.logins.logins == 0);
  desk.device.answer(0, "{}");
  CHECK(exchange->response().body == "{}");
}

TEST_CASE("exchanged device: four simultaneous clients share one login, and a refusal causes one more") {
  ExchangeDesk desk;
  desk.logins.is_slow = true;
  std::vector<std::shared_ptr<testing::FakeExchange>> exchanges;
  for (int i = 0; i < 4; ++i) exchanges.push_back(desk.ask("&_sid=" + own_id));
  CHECK(desk.device.forwarded.empty());
  desk.logins.answer_all();
  CHECK(desk.logins.logins == 1);
  REQUIRE(desk.device.forwarded.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) desk.device.answer(i, refused);
  for (const auto& exchange : exchanges) CHECK(exchange->answers() == 0);
  desk.logins.answer_all();
  CHECK(desk.logins.logins == 2);
  REQUIRE(desk.device.forwarded.size() == 8);
  for (std::size_t i = 4; i < 8; ++i) {
    CHECK(desk.device.forwarded[i].head.target.ends_with(id_at_device(2)));
    desk.device.answer(i, R"({"success":true})");
  }
  for (const auto& exchange : exchanges) {
    CHECK(exchange->answers() == 1);
    CHECK(exchange->response().body == R"({"success":true})");
  }
  for (const auto& call : desk.recorder.calls) CHECK(call->endings == 1);  // refusals are not stored
}

TEST_CASE("exchanged device: a second refusal is passed to the client") {
  for (const int code : {106, 107, 119}) {
    CAPTURE(code);
    ExchangeDesk desk;
    const std::string refusal = R"({"error":{"code":)" + std::to_string(code) + R"(},"success":false})";
    const auto exchange = desk.ask("&_sid=" + own_id);
    desk.device.answer(0, refusal);
    REQUIRE(desk.device.forwarded.size() == 2);
    desk.device.answer(1, refusal);
    CHECK(desk.device.forwarded.size() == 2);
    CHECK(exchange->response().body == refusal);
    CHECK(*desk.recorder.calls[0]->body == refusal);
    CHECK(desk.logins.logins == 2);
  }
  ExchangeDesk other;
  const auto exchange = other.ask("&_sid=" + own_id);
  other.device.answer(0, R"({"error":{"code":105},"success":false})");
  CHECK(exchange->answers() == 1);
  CHECK(other.logins.logins == 1);
}

TEST_CASE("exchanged device: a refused login is tried once and reported to each client") {
  ExchangeDesk desk;
  desk.logins.refuses = true;
  for (int i = 0; i < 3; ++i) {
    const auto exchange = desk.ask("&_sid=" + own_id);
    CHECK(exchange->response().status == 502);
    CHECK(exchange->response().headers.first("X-Tapedeck-Blocked") == "login");
    CHECK(exchange->response().body.find("wrong password") != std::string::npos);
    CHECK(exchange->answers() == 1);
  }
  CHECK(desk.logins.logins == 1);
  CHECK(desk.device.forwarded.empty());
  for (const auto& call : desk.recorder.calls) CHECK(call->endings == 0);
}

TEST_CASE("exchanged device: a live response is exchanged piece by piece and stored as a whole") {
  ExchangeDesk desk;
  const auto exchange = desk.ask("&_sid=" + own_id);
  const Forwarded& call = desk.device.forwarded[0];
  const std::string body = "data: " + id_at_device(1) + "\n\ndata: end\n\n";
  http::Relayed relayed;
  relayed.has_head = true;
  relayed.response.headers.add("Content-Length", std::to_string(body.size()));
  call.client->rewrite(relayed.response);
  call.exchange->start(relayed.response);
  CHECK_FALSE(exchange->response().headers.contains("Content-Length"));
  for (const char c : body) call.exchange->write(std::string(1, c));
  relayed.response.body = body;
  relayed.pieces = {{relayed.ended, 8 + id_at_device(1).size()}, {relayed.ended, body.size()}};
  const auto original = call.client->ended(std::move(relayed), http::Receipt());
  CHECK(*original == body);
  call.exchange->finish();
  const std::string wanted = "data: " + own_id + "\n\ndata: end\n\n";
  CHECK(exchange->response().body == wanted);
  CHECK(*desk.recorder.calls[0]->body == wanted);
  CHECK(desk.recorder.calls[0]->pieces[0].end == 8 + own_id.size());
  CHECK(desk.recorder.calls[0]->pieces[1].end == wanted.size());
}
