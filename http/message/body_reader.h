#pragma once
// Reads the body of a message as its bytes arrive.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "http/message/head_scanner.h"

namespace tapedeck::http {

enum class ParseState { need_more, done, bad_framing, too_long, too_many_trailers };

struct Parsed {
  std::size_t used = 0;  ///< bytes consumed; pass the others again, together with the next ones
  ParseState state = ParseState::need_more;
};

/// Appends bytes. The capacity of a long body grows by half, not double, to limit the memory for incoming bodies.
void append_to_body(std::string& body, std::string_view bytes);

/// Reads one chunked body at a time, strictly (RFC 9112 §7.1). The trailers after the last chunk are checked and
/// dropped. Waits for complete framing lines, but not for complete chunks.
class ChunkReader {
 public:
  /// In a response, accepts unusual but unambiguous framing, because old devices pad the size of a chunk with blanks.
  enum class Kind { request, response };

  explicit ChunkReader(Kind kind, std::uint64_t body_limit = std::numeric_limits<std::uint64_t>::max())
      : kind_(kind), may_come_(body_limit) {}

  /// Appends the data of `bytes` to `body`. The size of a chunk counts against the limit before its data arrives.
  [[nodiscard]] Parsed feed(std::string_view bytes, std::string& body);

 private:
  enum class Expects { size, data, data_end, trailer };

  [[nodiscard]] std::size_t take_data(std::string_view bytes, std::string& body);
  [[nodiscard]] ParseState judge_partial(std::size_t length) const;
  ParseState take_line(std::string_view line);
  ParseState take_size(std::string_view line);
  ParseState take_trailer(std::string_view line);

  Kind kind_;
  std::uint64_t may_come_;
  std::uint64_t left_ = 0;  ///< remaining bytes of the current chunk
  Expects expects_ = Expects::size;
  std::size_t trailer_bytes_ = 0;
};

/// Reads one body at a time, after a HeadScanner has read the head of the message.
class BodyReader {
 public:
  /// Begins a request's body. Clears `into`, which must exist until the body is complete. A body of more than `limit`
  /// bytes ends as too_long.
  void begin_request(const HeadFacts& facts, std::string& into, std::uint64_t limit);
  /// Begins what follows the head of a request that another protocol takes over: everything until the end.
  void begin_takeover(std::string& into);
  /// Begins a response's body. `to_head`: the response to a HEAD request, which has no body. The caller may remove
  /// bytes from `into` between two calls.
  void begin_response(const HeadFacts& facts, std::string& into, bool to_head);
  /// Consumes the bytes that belong to the body. Call it first without bytes, because there may be no body.
  [[nodiscard]] Parsed feed(std::string_view bytes);

  /// Returns true if the body is complete.
  [[nodiscard]] bool is_done() const { return is_done_; }
  /// Returns true if the body has no length and ends with the connection.
  [[nodiscard]] bool ends_with_connection() const { return framing_ == Framing::connection; }

 private:
  enum class Framing { none, length, chunked, connection };
  void begin(const HeadFacts& facts, std::string& into, Framing otherwise);
  [[nodiscard]] Parsed parse(std::string_view bytes);

  Framing framing_ = Framing::none;
  bool is_done_ = true;
  std::string* body_ = nullptr;
  std::uint64_t left_ = 0;
  std::uint64_t limit_ = 0;
  ChunkReader chunks_{ChunkReader::Kind::request};
};

}  // namespace tapedeck::http
