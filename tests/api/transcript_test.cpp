#include "api/transcript.h"

#include <catch2/catch.hpp>
#include <random>

namespace tapedeck::api {
namespace {

using Type = SocketMessage::Type;

TEST_CASE("transcript: messages of every kind are read as they were written") {
  std::mt19937 random(3);
  std::vector<SocketMessage> messages;
  for (int i = 0; i < 300; ++i) {
    SocketMessage message;
    message.from_device = random() % 2 == 0;
    message.at_us = static_cast<std::int64_t>(random());
    message.type = static_cast<Type>(random() % 4);
    if (message.type == Type::close) message.code = static_cast<std::uint16_t>(random() % 5000);
    const bool is_content = message.type == Type::text || message.type == Type::binary;
    if (is_content && random() % 5 == 0) {
      message.withheld = "a reason with \"quotes\"";
    } else {
      const std::size_t size = random() % 40;
      for (std::size_t at = 0; at < size; ++at) {
        message.text += static_cast<char>(message.type == Type::binary ? random() % 256 : random() % 128);
      }
    }
    messages.push_back(std::move(message));
  }
  CHECK(parse_transcript(transcript(messages)) == messages);
  CHECK(parse_transcript(transcript({})) == std::vector<SocketMessage>{});
}

TEST_CASE("transcript: another body is none") {
  for (const char* const body : {"", "{}", "null", "[1]", "[{}]", R"([{"type":"ping"}])", R"([{"type":"text"})"}) {
    INFO(body);
    CHECK_FALSE(parse_transcript(body));
  }
}

TEST_CASE("transcript: Engine.IO is recognized by its parameter, and its interval by its handshake") {
  const std::pair<const char*, int> targets[] = {{"/socket.io/?EIO=4&transport=websocket", 4},
                                                 {"/synoscgi.sock/socket.io/?a=1&EIO=3", 3},
                                                 {"/socket.io/?eio=4", 0},
                                                 {"/socket.io/?EIO=x", 0},
                                                 {"/events", 0}};
  for (const auto& [target, version] : targets) CHECK(engine_io_version(target) == version);
  const std::pair<const char*, int> handshakes[] = {
      {R"(0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":5000})", 25'000},
      {R"(97:0{"sid":"a","upgrades":["websocket"],"pingInterval":300,"pingTimeout":60000}2:40)", 300},
      {R"(42["hello",{"pingInterval":7}])", 0},
      {R"(0{"sid":"a","pingInterval":0})", 0},
      {"", 0}};
  for (const auto& [text, interval] : handshakes) {
    INFO(text);
    CHECK(announced_interval(text).value_or(std::chrono::milliseconds(0)).count() == interval);
  }
  for (const char* const beat : {"2", "3"}) CHECK(is_heartbeat(beat));
  for (const char* const other : {"2probe", "3probe", "4", ""}) CHECK_FALSE(is_heartbeat(other));
  for (const char* const beat : {"3", "1:2"}) CHECK(is_polled_heartbeat(beat));
  for (const char* const other : {"2", "1:3", "40", "2:40", ""}) CHECK_FALSE(is_polled_heartbeat(other));
}

}  // namespace
}  // namespace tapedeck::api
