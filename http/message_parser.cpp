#include "http/message_parser.h"

#include <boost/beast/http/basic_parser.hpp>
#include <functional>
#include <limits>
#include <optional>

namespace tapedeck::http {
namespace {

namespace beast_http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

/// A chunk's extensions are read and dropped; nobody sends long ones in good faith.
constexpr std::size_t longest_chunk_extension = 1024;
constexpr std::size_t longest_trailers = 16 * 1024;

std::string_view view(string_view text) { return std::string_view(text.data(), text.size()); }

/// std::string doubles as it grows; long bodies grow by half, which keeps a flood's memory near what it sent.
void append_to(std::string& body, string_view bytes) {
  constexpr std::size_t long_body = 1u << 20;
  if (body.size() >= long_body && body.capacity() - body.size() < bytes.size()) {
    std::string larger;
    larger.reserve(body.size() + body.size() / 2 + bytes.size());
    larger.append(body);
    body.swap(larger);
  }
  body.append(bytes.data(), bytes.size());
}

/// What requests and answers have in common: header lines, then body bytes, then trailers.
template <bool is_request>
class Collector : public beast_http::basic_parser<is_request> {
 public:
  Collector(Headers& headers, std::string& body) : headers_(headers), body_(body) {
    this->eager(true);
    // The HeadScanner has held the head's limits, on_field_impl holds the trailers'.
    this->header_limit(std::numeric_limits<std::uint32_t>::max());
  }
  [[nodiscard]] const std::string& trailers() const { return trailers_; }
  /// What the next put() is given.
  void feeding(std::string_view bytes) { fed_ = bytes; }

 protected:
  void on_field_impl(beast_http::field, string_view name, string_view value, error_code& error) override {
    if (!in_trailers_) {
      headers_.add(view(name), view(value));
      return;
    }
    // No HeadScanner saw the trailers. Beast hands out a value in place, unless it had to unfold it elsewhere.
    const std::less<const char*> before;
    const bool in_place = !before(value.data(), fed_.data()) && !before(fed_.data() + fed_.size(), value.data());
    if (!value.empty() && !in_place) error = beast_http::error::bad_obs_fold;
    if (trailers_.size() + name.size() + value.size() > longest_trailers) error = beast_http::error::header_limit;
    trailers_.append(view(name)).append(": ").append(view(value)).append("\r\n");
  }
  void on_header_impl(error_code&) override { in_trailers_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view bytes, error_code&) override {
    append_to(body_, bytes);
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, string_view extensions, error_code& error) override {
    if (extensions.size() > longest_chunk_extension) error = beast_http::error::bad_chunk_extension;
  }
  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override {
    append_to(body_, bytes);
    return bytes.size();
  }
  void on_finish_impl(error_code&) override {}

 private:
  Headers& headers_;
  std::string& body_;
  std::string trailers_;
  std::string_view fed_;
  bool in_trailers_ = false;
};

class RequestCollector final : public Collector<true> {
 public:
  explicit RequestCollector(Request& into) : Collector(into.headers, into.body), into_(into) {}

 private:
  void on_request_impl(beast_http::verb, string_view method, string_view target, int version, error_code&) override {
    into_.method.assign(method.data(), method.size());
    into_.target.assign(target.data(), target.size());
    into_.minor_version = version - 10;
  }
  void on_response_impl(int, string_view, int, error_code&) override {}

  Request& into_;
};

class AnswerCollector final : public Collector<false> {
 public:
  explicit AnswerCollector(Response& into) : Collector(into.headers, into.body), into_(into) {}

 private:
  void on_request_impl(beast_http::verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int status, string_view reason, int, error_code&) override {
    into_.status = status;
    into_.reason.assign(reason.data(), reason.size());
  }

  Response& into_;
};

/// A line of chunk framing that ends in LF alone: Beast would wait for a CR that never comes.
bool has_bare_line_feed(std::string_view framing) {
  const std::size_t at = framing.find('\n');
  return at != std::string_view::npos && (at == 0 || framing[at - 1] != '\r');
}

template <class Parser>
Parsed feed_to(Parser& parser, std::string_view bytes) {
  Parsed parsed;
  while (parsed.used < bytes.size() && !parser.is_done()) {
    error_code error;
    parser.feeding(bytes.substr(parsed.used));
    const std::size_t used =
        parser.put(boost::asio::const_buffer(bytes.data() + parsed.used, bytes.size() - parsed.used), error);
    parsed.used += used;
    if (error == beast_http::error::need_more || (!error && used == 0)) break;
    if (error == beast_http::error::body_limit || error == beast_http::error::header_limit) {
      parsed.state = error == beast_http::error::body_limit ? ParseState::too_long : ParseState::too_many_trailers;
      return parsed;
    }
    if (error) {
      parsed.state = ParseState::bad_framing;
      return parsed;
    }
  }
  if (parser.is_done()) {
    parsed.state = ParseState::done;
  } else if (has_bare_line_feed(bytes.substr(parsed.used))) {
    parsed.state = ParseState::bad_framing;
  }
  return parsed;
}

}  // namespace

struct RequestParser::Impl {
  std::optional<RequestCollector> parser;
};

RequestParser::RequestParser() : impl_(std::make_unique<Impl>()) {}
RequestParser::~RequestParser() = default;

void RequestParser::begin(Request& into, std::size_t body_limit) {
  into.headers.clear();
  into.body.clear();
  impl_->parser.emplace(into);
  impl_->parser->body_limit(body_limit);
}

Parsed RequestParser::feed(std::string_view bytes) { return feed_to(*impl_->parser, bytes); }

struct AnswerParser::Impl {
  std::optional<AnswerCollector> parser;
};

AnswerParser::AnswerParser() : impl_(std::make_unique<Impl>()) {}
AnswerParser::~AnswerParser() = default;

void AnswerParser::begin(Response& into, bool to_head) {
  into.headers.clear();
  into.body.clear();
  impl_->parser.emplace(into);
  impl_->parser->skip(to_head);
  impl_->parser->body_limit(boost::none);
}

Parsed AnswerParser::feed(std::string_view bytes) { return feed_to(*impl_->parser, bytes); }

ParseState AnswerParser::end_of_stream() {
  error_code error;
  impl_->parser->put_eof(error);
  return !error && impl_->parser->is_done() ? ParseState::done : ParseState::bad_framing;
}

bool AnswerParser::ends_with_connection() const { return impl_->parser->need_eof(); }

const std::string& AnswerParser::trailers() const { return impl_->parser->trailers(); }

}  // namespace tapedeck::http
