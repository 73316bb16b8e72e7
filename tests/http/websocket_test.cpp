#include "http/message/websocket.h"

#include <catch2/catch.hpp>
#include <random>

namespace tapedeck::http {
namespace {

using Kind = Frame::Kind;

/// Returns a frame of a server from its first byte and payload.
std::string raw(unsigned first, const std::string& payload) {
  std::string out{static_cast<char>(first)};
  if (payload.size() < 126) return out + static_cast<char>(payload.size()) + payload;
  out += '\x7e';
  out += static_cast<char>(payload.size() >> 8U);
  return out + static_cast<char>(payload.size()) + payload;
}

std::string code(unsigned number, const std::string& reason = "") {
  return std::string{static_cast<char>(number >> 8U), static_cast<char>(number)} + reason;
}

/// Returns what a reader makes of the bytes in pieces of this size: "text:abc binary:01 ping: close:1000 !1002".
std::string shown(const std::string& bytes, std::size_t step, FrameSender sender = FrameSender::server) {
  FrameReader reader(sender);
  std::string out, message;
  const auto word = [](Kind kind) {
    constexpr const char* names[] = {"text", "binary", "ping", "pong", "close"};
    return names[static_cast<int>(kind)];
  };
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const FrameReader::Result result = reader.feed(std::string_view(bytes).substr(at, step));
    for (const Frame& frame : result.frames) {
      if (frame.is_message()) {
        message += frame.bytes;
        if (!frame.is_last) continue;
        out += std::string(word(frame.kind)) + ":" + std::exchange(message, {}) + " ";
      } else if (frame.kind == Kind::close) {
        const Closing closing = closing_of(frame.bytes);
        out += "close:" + std::to_string(closing.code) + closing.reason + " ";
      } else {
        out += std::string(word(frame.kind)) + ":" + frame.bytes + " ";
      }
    }
    if (result.failure) return out + "!" + std::to_string(static_cast<int>(*result.failure));
  }
  return out;
}

// The numbers are those of the cases of the Autobahn test suite that cover the same rule.
TEST_CASE("websocket: frames are read as RFC 6455 requires, in pieces of any size") {
  const std::string fi = raw(0x01, "fo"), la = raw(0x80, "o");
  const std::string long_text(65'536, 'x');
  const struct {
    const char* number;
    std::string bytes, expected;
  } rows[] = {
      {"1.1.1", raw(0x81, ""), "text: "},
      {"1.1.6", raw(0x81, std::string(300, 'a')), "text:" + std::string(300, 'a') + " "},
      {"1.2.2", raw(0x82, std::string("\0\xff", 2)), "binary:" + std::string("\0\xff", 2) + " "},
      {"2.2", raw(0x89, "hi"), "ping:hi "},
      {"2.5", std::string("\x89\x7e\x00\x7e", 4) + std::string(126, 'p'), "!1002"},
      {"2.7", raw(0x8a, ""), "pong: "},
      {"3.1", raw(0xc1, "a"), "!1002"},
      {"3.2", raw(0x81, "a") + raw(0xa1, "b"), "text:a !1002"},
      {"4.1.1", raw(0x83, ""), "!1002"},
      {"4.2.1", raw(0x8b, ""), "!1002"},
      {"5.1", raw(0x09, "p") + raw(0x80, "q"), "!1002"},
      {"5.3", fi + la, "text:foo "},
      {"5.6", fi + raw(0x89, "p") + la, "ping:p text:foo "},
      {"5.9", raw(0x80, "x") + raw(0x81, "a"), "!1002"},
      {"5.15", fi + la + raw(0x00, "x"), "text:foo !1002"},
      {"5.18", fi + raw(0x81, "x"), "!1002"},
      {"6.1.2", raw(0x01, "") + raw(0x00, "") + raw(0x80, ""), "text: "},
      {"6.2.3", raw(0x01, "\xce") + raw(0x80, "\xba"), "text:\xce\xba "},
      {"6.3.1", raw(0x81, "\xce\xba\xed\xa0\x80"), "!1007"},
      {"6.4.1", raw(0x01, "\xf4\x90\x80\x80") + la, "!1007"},
      {"6.7", raw(0x81, std::string("\0", 1)), std::string("text:\0 ", 7)},
      {"6.12", raw(0x81, "\xc0\xaf"), "!1007"},
      {"6.13", raw(0x81, "\xe2\x82"), "!1007"},
      {"7.1.1", raw(0x81, "a") + raw(0x88, code(1000)) + raw(0x81, "b"), "text:a close:1000 "},
      {"7.3.1", raw(0x88, ""), "close:0 "},
      {"7.3.2", raw(0x88, "\x03"), "!1002"},
      {"7.3.5", raw(0x88, code(1000, std::string(123, 'r'))), "close:1000" + std::string(123, 'r') + " "},
      {"7.5.1", raw(0x88, code(1000, "\xc0\xaf")), "!1007"},
      {"7.7.13", raw(0x88, code(4999)), "close:4999 "},
      {"7.9.1", raw(0x88, code(0)), "!1002"},
      {"7.9.3", raw(0x88, code(1004)), "!1002"},
      {"7.9.4", raw(0x88, code(1005)), "!1002"},
      {"7.9.5", raw(0x88, code(1006)), "!1002"},
      {"7.9.7", raw(0x88, code(1100)), "!1002"},
      {"7.13.1", raw(0x88, code(5000)), "!1002"},
      {"9.1", std::string("\x81\x7f\0\0\0\0\0\x01\0\0", 10) + long_text, "text:" + long_text + " "},
      {"length beyond 63 bits", std::string("\x82\x7f\xff\0\0\0\0\0\0\0", 10), "!1002"},
      {"masked by a server", std::string("\x81\x81\1\2\3\4x"), "!1002"},
  };
  for (const auto& row : rows) {
    INFO(row.number);
    for (const std::size_t step : {std::size_t(1), std::size_t(3), row.bytes.size()}) {
      CHECK(shown(row.bytes, step) == row.expected);
    }
  }
  CHECK(shown(raw(0x81, "a"), 1, FrameSender::client) == "!1002");
}

TEST_CASE("websocket: written frames are read again, masked or not") {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    const FrameSender sender = i % 2 == 0 ? FrameSender::client : FrameSender::server;
    std::string bytes, expected;
    for (int n = 0; n < 4; ++n) {
      const std::string payload(random() % 3 == 0 ? random() % 70'000 : random() % 130, static_cast<char>(random()));
      const std::size_t cut = payload.size() / 2;
      bytes += frame_bytes({Kind::binary, payload.substr(0, cut), false}, sender);
      if (random() % 2 == 0) {
        bytes += frame_bytes({Kind::ping, "p", true}, sender);
        expected += "ping:p ";
      }
      bytes += frame_bytes({Kind::binary, payload.substr(cut), true}, sender, true);
      expected += "binary:" + payload + " ";
    }
    CHECK(shown(bytes, random() % 5'000 + 1, sender) == expected);
  }
}

TEST_CASE("websocket: the handshake is recognized, and accepted with the value of RFC 6455") {
  CHECK(websocket_accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  Request request{"GET", "/chat", 1, {}, {}};
  request.headers.add("Upgrade", "WebSocket");
  request.headers.add("Connection", "keep-alive, Upgrade");
  request.headers.add("Sec-WebSocket-Version", "13");
  request.headers.add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
  CHECK(asks_for_websocket(request));
  for (const char* const name : {"Upgrade", "Connection", "Sec-WebSocket-Version", "Sec-WebSocket-Key"}) {
    Request other = request;
    other.headers.erase(name);
    CHECK_FALSE(asks_for_websocket(other));
  }
  request.method = "POST";
  CHECK_FALSE(asks_for_websocket(request));
}

}  // namespace
}  // namespace tapedeck::http
