#include "http/message/message_parser.h"

#include <boost/beast/http/basic_parser.hpp>
#include <limits>
#include <optional>

namespace tapedeck::http {
namespace {

namespace beast_http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();

std::string_view view(string_view text) { return std::string_view(text.data(), text.size()); }

/// What requests and answers have in common: header lines, then the body.
template <bool is_request>
class Collector : public beast_http::basic_parser<is_request> {
 public:
  Collector(Headers& headers, std::string& body, std::uint64_t body_limit)
      : headers_(headers),
        body_(body),
        chunks_(is_request ? ChunkReader::Kind::request : ChunkReader::Kind::answer, body_limit) {
    // Not eager: put() ends with the head, so that a chunked body never reaches Beast.
    this->header_limit(std::numeric_limits<std::uint32_t>::max());  // the HeadScanner has held the head's limits
    this->body_limit(body_limit);
  }
  [[nodiscard]] const std::string& trailers() const { return chunks_.trailers(); }
  /// A chunked body follows, or is under way.
  [[nodiscard]] bool in_chunks() const { return this->is_header_done() && this->chunked() && !this->is_done(); }
  [[nodiscard]] Parsed take_chunks(std::string_view bytes) { return chunks_.feed(bytes, body_); }

 protected:
  void on_field_impl(beast_http::field, string_view name, string_view value, error_code&) override {
    headers_.add(view(name), view(value));
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view bytes, error_code&) override {
    append_to_body(body_, view(bytes));
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override { return bytes.size(); }
  void on_finish_impl(error_code&) override {}

 private:
  Headers& headers_;
  std::string& body_;
  ChunkReader chunks_;
};

class RequestCollector final : public Collector<true> {
 public:
  RequestCollector(Request& into, std::uint64_t body_limit)
      : Collector(into.headers, into.body, body_limit), into_(into) {}

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
  explicit AnswerCollector(Response& into) : Collector(into.headers, into.body, no_limit), into_(into) {}

 private:
  void on_request_impl(beast_http::verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int status, string_view reason, int, error_code&) override {
    into_.status = status;
    into_.reason.assign(reason.data(), reason.size());
  }

  Response& into_;
};

template <class Parser>
Parsed feed_to(Parser& parser, std::string_view bytes) {
  Parsed parsed;
  while (parsed.used < bytes.size() && !parser.is_done() && !parser.in_chunks()) {
    error_code error;
    const std::size_t used =
        parser.put(boost::asio::const_buffer(bytes.data() + parsed.used, bytes.size() - parsed.used), error);
    parsed.used += used;
    if (error == beast_http::error::need_more || (!error && used == 0)) break;
    if (error) {
      parsed.state = error == beast_http::error::body_limit ? ParseState::too_long : ParseState::bad_framing;
      return parsed;
    }
  }
  if (parser.in_chunks()) {
    const Parsed chunks = parser.take_chunks(bytes.substr(parsed.used));
    return Parsed{parsed.used + chunks.used, chunks.state};
  }
  if (parser.is_done()) parsed.state = ParseState::done;
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
  impl_->parser.emplace(into, body_limit);
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
