// Tests properties for any bytes: the result does not depend on how they are split into reads.

#include <catch2/catch.hpp>
#include <random>

#include "http/message/body_reader.h"
#include "http/message/head_scanner.h"

namespace tapedeck::http {
namespace {

const std::vector<std::string> requests = {
    "GET /a?b=c HTTP/1.1\r\nHost: nas.example\r\nX: y\r\n\r\n",
    "POST /p HTTP/1.1\r\nHost: nas.example\r\nContent-Length: 5\r\n\r\nhello",
    "POST /p HTTP/1.1\r\nHost: [::1]:80\r\nTransfer-Encoding: chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n0\r\nT: v\r\n\r\n",
    "GET http://nas.example?b=c HTTP/1.1\r\nX: y\r\nHost: nas.example\r\n\r\n",
    "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
};
const std::vector<std::string> answers = {
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n2\r\nab\r\n0\r\nT: v\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\nuntil the end",
    "HTTP/1.1 404\r\nX : a\r\n \t b\r\n\r\nuntil the end",
    "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length:\r\n 5\r\n\r\nhello",
};

/// Reads one message in pieces of at most `step` bytes. Returns "refused 400", "bad", "more", or "done METHOD target
/// [body]".
class Reader {
 public:
  explicit Reader(HeadScanner::Kind kind) : kind_(kind), scanner_(kind) {}

  std::string read(std::string_view bytes, std::size_t step) {
    std::string kept;
    for (std::size_t at = 0; at < bytes.size() && verdict_.empty(); at += step) {
      kept.append(bytes.substr(at, step));
      take(kept);
    }
    return verdict_.empty() ? "more " + std::to_string(in_body_) + shown() : verdict_;
  }

 private:
  void take(std::string& kept) {
    if (!in_body_) {
      const HeadScanner::State state = scanner_.feed(kept, HeadLimits());
      if (state == HeadScanner::State::refused) verdict_ = "refused " + std::to_string(scanner_.refusal().status);
      if (state != HeadScanner::State::complete) return;
      in_body_ = true;
      begin(kept);
      kept.erase(0, scanner_.end());
      judge(reader_.feed({}));
    }
    if (kept.empty() || !verdict_.empty()) return;
    const Parsed parsed = reader_.feed(kept);
    kept.erase(0, parsed.used);
    judge(parsed);
  }

  void begin(std::string_view head) {
    if (kind_ == HeadScanner::Kind::request) {
      scanner_.read(head, request_);
      reader_.begin_request(scanner_.facts(), request_.body, 1000);
    } else {
      scanner_.read(head, answer_);
      reader_.begin_response(scanner_.facts(), answer_.body, false);
    }
  }
  void judge(const Parsed& parsed) {
    if (parsed.state == ParseState::done) verdict_ = "done " + shown();
    if (parsed.state != ParseState::done && parsed.state != ParseState::need_more) verdict_ = "bad";
  }
  [[nodiscard]] std::string shown() const {
    return kind_ == HeadScanner::Kind::request
               ? request_.method + request_.target + request_.headers.to_text() + request_.body
               : std::to_string(answer_.status) + answer_.reason + answer_.headers.to_text() + answer_.body;
  }

  HeadScanner::Kind kind_;
  HeadScanner scanner_;
  BodyReader reader_;
  Request request_;
  Response answer_;
  bool in_body_ = false;
  std::string verdict_;
};

std::string mutated(std::string text, std::mt19937& random) {
  static constexpr char odd_bytes[] = "\0\r\n\t :;,0123456789abcdefxX\xff\x7f\"\\/%-+";
  static const std::string odd(odd_bytes, sizeof odd_bytes - 1);
  const int changes = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = random() % text.size();
    const char byte = odd[random() % odd.size()];
    switch (random() % 4) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.insert(at, 1, byte);
        break;
      case 2:
        text.erase(at, 1);
        break;
      default:
        text.insert(at, text.substr(at, random() % 20));
    }
  }
  return text;
}

void check_cuts(HeadScanner::Kind kind, const std::vector<std::string>& seeds) {
  std::mt19937 random(1);
  int differing = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = mutated(seeds[random() % seeds.size()], random);
    const std::string whole = Reader(kind).read(text, text.size());
    const std::string bytewise = Reader(kind).read(text, 1);
    if (whole == bytewise) continue;
    ++differing;
    UNSCOPED_INFO(text << " -> " << whole << " / " << bytewise);
  }
  CHECK(differing == 0);
}

TEST_CASE("parsers: the result for a request does not depend on how its bytes are split") {
  check_cuts(HeadScanner::Kind::request, requests);
}
TEST_CASE("parsers: the result for a response does not depend on how its bytes are split") {
  check_cuts(HeadScanner::Kind::response, answers);
}

}  // namespace
}  // namespace tapedeck::http
