#pragma once
// Reads chunked bodies strictly (RFC 9112 §7.1). The trailers after the last chunk are checked and dropped.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tapedeck::http {

enum class ParseState { need_more, done, bad_framing, too_long, too_many_trailers };

struct Parsed {
  std::size_t used = 0;  ///< bytes consumed; pass the others again, together with the next ones
  ParseState state = ParseState::need_more;
};

/// Appends bytes. The capacity of a long body grows by half, not double, to limit the memory for incoming bodies.
void append_to_body(std::string& body, std::string_view bytes);

/// Reads one chunked body at a time. Waits for complete framing lines, but not for complete chunks.
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

}  // namespace tapedeck::http
