#pragma once
// Chunked bodies (RFC 9112 §7.1), read strictly. The lines behind the last chunk are checked and dropped.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tapedeck::http {

enum class ParseState { need_more, done, bad_framing, too_long, too_many_trailers };

struct Parsed {
  std::size_t used = 0;  ///< bytes taken; the rest comes again with the next ones
  ParseState state = ParseState::need_more;
};

/// std::string doubles as it grows; long bodies grow by half, which keeps a flood's memory near what it sent.
void append_to_body(std::string& body, std::string_view bytes);

/// One chunked body at a time. A framing line is taken once it is whole; a chunk's data as it comes.
class ChunkReader {
 public:
  /// Of an answer's framing what is odd but has one reading is taken: old devices pad a chunk's size with blanks.
  enum class Kind { request, answer };

  explicit ChunkReader(Kind kind, std::uint64_t body_limit = std::numeric_limits<std::uint64_t>::max())
      : kind_(kind), may_come_(body_limit) {}

  /// Appends the data of `bytes` to `body`. Each size counts against the limit before its data has come.
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
  std::uint64_t left_ = 0;  ///< of the current chunk
  Expects expects_ = Expects::size;
  std::size_t trailer_bytes_ = 0;
};

}  // namespace tapedeck::http
