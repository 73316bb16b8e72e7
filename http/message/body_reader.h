#pragma once
// The bytes behind a head, put into a message's body as they come.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "http/message/chunk_reader.h"
#include "http/message/head_scanner.h"

namespace tapedeck::http {

/// One body at a time, of a message whose head a HeadScanner has taken.
class BodyReader {
 public:
  /// Begins a request's body. `into`, which is cleared, must live until it is done. A body over `limit` bytes ends as
  /// too_long.
  void begin_request(const HeadFacts& facts, std::string& into, std::uint64_t limit);
  /// Begins an answer's body. `to_head`: the answer to a HEAD request, which has none. The caller may take bytes out of
  /// `into` between two calls.
  void begin_answer(const HeadFacts& facts, std::string& into, bool to_head);
  /// Takes what belongs to the body. Without a body it is done before the first byte: ask with none.
  [[nodiscard]] Parsed feed(std::string_view bytes);

  /// The body has no length and ends with the connection.
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
