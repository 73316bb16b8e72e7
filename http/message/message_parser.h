#pragma once
// What a checked head and the bytes behind it say, put straight into a Request or a Response without a container of
// fields in between: heads and plain bodies by Beast's parsers, chunked bodies by our own.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "http/message/chunk_reader.h"
#include "http/message/message.h"

namespace tapedeck::http {

/// One request at a time; the head must have passed a HeadScanner.
class RequestParser {
 public:
  RequestParser();
  ~RequestParser();

  /// Begins a message; `into` must live until it is done. A body over `body_limit` bytes ends as too_long.
  void begin(Request& into, std::size_t body_limit);
  [[nodiscard]] Parsed feed(std::string_view bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One answer at a time; the head must have passed a HeadScanner.
class AnswerParser {
 public:
  AnswerParser();
  ~AnswerParser();

  /// Begins a message; `into` must live until it is done. `to_head`: the answer to a HEAD request, which has no body.
  /// Body bytes are appended to into.body, where the caller may take them out between two calls.
  void begin(Response& into, bool to_head);
  [[nodiscard]] Parsed feed(std::string_view bytes);
  /// The connection ended: done for a body that ends so, bad_framing otherwise.
  [[nodiscard]] ParseState end_of_stream();
  [[nodiscard]] bool ends_with_connection() const;
  /// Header text of the lines behind a chunked body.
  [[nodiscard]] const std::string& trailers() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::http
