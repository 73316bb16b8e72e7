#pragma once
// Reads the body of a message as its bytes arrive.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "http/message/chunk_reader.h"
#include "http/message/head_scanner.h"

namespace tapedeck::http {

/// Reads one body at a time, after a HeadScanner has read the head of the message.
class BodyReader {
 public:
  /// Begins a request's body. Clears `into`, which must exist until the body is complete. A body of more than `limit`
  /// bytes ends as too_long.
  void begin_request(const HeadFacts& facts, std::string& into, std::uint64_t limit);
  /// Begins a response's body. `to_head`: the response to a HEAD request, which has no body. The caller may remove
  /// bytes from `into` between two calls.
  void begin_response(const HeadFacts& facts, std::string& into, bool to_head);
  /// Consumes the bytes that belong to the body. Call it first without bytes, because there may be no body.
  [[nodiscard]] Parsed feed(std::string_view bytes);

  /// Returns true if the body has no length and ends with the connection.
  [[nodiscard]] bool ends_with_connection() const { return framing_ == Framing::connection; }

 private:
  enum class Framing { none, length, chunked, connection };
  void begin(const HeadFacts& facts, std::string& into, Framing otherwise);

  Framing framing_ = Framing::none;
  std::string* body_ = nullptr;
  std::uint64_t left_ = 0;
  std::uint64_t limit_ = 0;
  ChunkReader chunks_{ChunkReader::Kind::request};
};

}  // namespace tapedeck::http
