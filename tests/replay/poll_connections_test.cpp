#include "replay/sessions/poll_connections.h"

#include <catch2/catch.hpp>

#include <set>

namespace tapedeck::replay {
namespace {

using std::chrono::milliseconds;

std::string handshake(const std::string& id) { return R"(0{"sid":")" + id + R"(","pingInterval":25000})"; }

std::string id_in(const std::optional<std::string>& body) {
  REQUIRE(body);
  const std::size_t at = body->find("\":\"") + 3;
  return body->substr(at, body->find('"', at) - at);
}

http::Request poll(const std::string& id) { return {"GET", "/socket.io/?EIO=4&sid=" + id + "&t=x", 1, {}, {}}; }

TEST_CASE("polls: each handshake opens a connection with its own ID, in the same order each time") {
  const std::string recorded = "lv3kX9mT2bLr8wZpAAAC";
  std::vector<std::string> ids;
  for (int run = 0; run < 2; ++run) {
    PollConnections connections;
    std::vector<std::string> found;
    for (int i = 0; i < 3; ++i) found.push_back(id_in(connections.open(handshake(recorded))));
    CHECK(found.front() == recorded);
    CHECK(std::set(found.begin(), found.end()).size() == 3);
    for (const std::string& id : found) {
      CHECK(id.size() == recorded.size());
      http::Request request = poll(id);
      const auto connection = connections.exchange(request);
      REQUIRE(connection != nullptr);
      CHECK(request.target == poll(recorded).target);
    }
    if (run == 1) CHECK(found == ids);
    ids = found;
  }
}

TEST_CASE("polls: only a handshake opens a connection, and only its ID is known") {
  PollConnections connections;
  for (const char* const body : {"", "ok", "40{\"sid\":\"a\"}", "42[\"0{\\\"sid\\\":\\\"a\\\"\"]", "{\"sid\":\"a\"}"}) {
    INFO(body);
    CHECK_FALSE(connections.open(body));
  }
  CHECK(id_in(connections.open("97:" + handshake("abc"))) == "abc");
  http::Request request = poll("another");
  CHECK(connections.exchange(request) == nullptr);
  CHECK(request.target == poll("another").target);
}

TEST_CASE("polls: the oldest connections are forgotten") {
  PollConnections connections;
  const std::string first = id_in(connections.open(handshake("first")));
  for (std::size_t i = 0; i < PollConnections::most; ++i) {
    static_cast<void>(connections.open(handshake("id" + std::to_string(i))));
  }
  http::Request request = poll(first);
  CHECK(connections.exchange(request) == nullptr);
}

TEST_CASE("polls: heartbeats are sent at the interval, and those of version 3 are returned once") {
  PollConnection connection("id");
  const http::Request beat{"POST", "/socket.io/?EIO=3&sid=id", 1, {}, "1:2"};
  CHECK(connection.idle(3, milliseconds(0)) == "1:6");
  CHECK(connection.take_heartbeat(beat));
  CHECK(connection.idle(3, milliseconds(0)) == "1:3");
  CHECK(connection.idle(3, milliseconds(0)) == "1:6");
  CHECK(connection.idle(4, milliseconds(0)) == "2");
  CHECK(connection.idle(4, std::chrono::hours(1)) == "6");
  for (const char* const other : {"", "2:40", "40", "42[\"3\"]"}) {
    CHECK_FALSE(connection.take_heartbeat({"POST", "/socket.io/?EIO=4&sid=id", 1, {}, other}));
  }
  CHECK_FALSE(connection.take_heartbeat({"GET", "/socket.io/?EIO=4&sid=id", 1, {}, "3"}));
}

}  // namespace
}  // namespace tapedeck::replay
