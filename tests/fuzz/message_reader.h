#pragma once
// Reads one message like a listener or a relay: the head first, then the body, piece by piece.

#include <algorithm>
#include <string>
#include <string_view>

#include "http/message/body_reader.h"
#include "http/message/head_scanner.h"

namespace tapedeck::fuzz {

struct ReadMessage {
  enum class End { more, refused, bad, done } end = End::more;
  bool in_body = false;
  http::HeadFacts facts;
  http::Request request;
  http::Response answer;
  std::size_t used = 0;  ///< bytes of the message after its end
};

/// Feeds `bytes` in pieces of at most `step`.
inline ReadMessage read_message(http::HeadScanner::Kind kind, std::string_view bytes, std::size_t step,
                                std::size_t body_limit) {
  using http::HeadScanner;
  using http::ParseState;
  ReadMessage read;
  HeadScanner scanner(kind);
  http::BodyReader reader;
  const bool is_request = kind == HeadScanner::Kind::request;
  const auto feed = [&](std::string_view piece) {
    const http::Parsed parsed = reader.feed(piece);
    read.used += parsed.used;
    if (parsed.state == ParseState::done) read.end = ReadMessage::End::done;
    if (parsed.state != ParseState::done && parsed.state != ParseState::need_more) read.end = ReadMessage::End::bad;
    return parsed.used;
  };
  std::string kept;
  for (std::size_t at = 0; at < bytes.size() && read.end == ReadMessage::End::more; at += step) {
    kept.append(bytes.substr(at, step));
    if (!read.in_body) {
      const HeadScanner::State state = scanner.feed(kept, http::HeadLimits());
      if (state == HeadScanner::State::refused) read.end = ReadMessage::End::refused;
      if (state != HeadScanner::State::complete) continue;
      read.in_body = true;
      read.facts = scanner.facts();
      if (is_request) {
        scanner.read(kept, read.request);
        reader.begin_request(read.facts, read.request.body, body_limit);
      } else {
        scanner.read(kept, read.answer);
        reader.begin_response(read.facts, read.answer.body, false);
      }
      read.used = scanner.end();
      feed({});
      kept.erase(0, scanner.end());
    }
    if (read.end == ReadMessage::End::more && !kept.empty()) kept.erase(0, feed(kept));
  }
  return read;
}

}  // namespace tapedeck::fuzz
