#pragma once
// Parses the head of a message strictly. Accepts a head only if RFC 9112 allows exactly one interpretation. So it
// refuses everything that a proxy must not forward, such as folded lines in a request, an invalid Host or a list of
// hosts, and a Transfer-Encoding other than `chunked`. It converts unusual forms that the RFC requires recipients to
// accept to the usual ones, because devices are old and clients may send requests in proxy form.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message/message.h"

namespace tapedeck::http {

/// The maximum sizes of a head and its body. A comment names the status for larger ones.
struct HeadLimits {
  std::size_t head_bytes = 64 * 1024;    ///< first line and headers together; then 431
  std::size_t header_lines = 100;        ///< number of headers; then 431
  std::size_t target_bytes = 32 * 1024;  ///< length of a request's target; then 414
  std::size_t body_bytes = 64u << 20;    ///< length of a request's body; then 413
};

/// Why a message is refused: the status of the response, and a text that contains no part of the message.
struct Refusal {
  int status = 400;
  std::string_view why;
};

/// The framing of a message and the state of its connection, according to the head.
struct HeadFacts {
  int minor_version = 1;
  int status = 0;                               ///< status of a response
  std::optional<std::uint64_t> content_length;  ///< one number, even if a response repeats it
  bool chunked = false;
  bool says_close = false;
  bool says_keep_alive = false;
  bool expects_continue = false;

  [[nodiscard]] bool keeps_alive() const { return minor_version == 0 ? says_keep_alive && !says_close : !says_close; }
};

/// Reads one head as its bytes arrive, and each byte only once.
class HeadScanner {
 public:
  enum class Kind { request, response };
  enum class State { need_more, complete, refused };

  explicit HeadScanner(Kind kind) : kind_(kind) {}
  /// Drops the last head and begins the next one.
  void reset() { *this = HeadScanner(kind_); }

  /// Continues to read. Requires that `bytes` has all bytes of the head so far, starting with the first one.
  [[nodiscard]] State feed(std::string_view bytes, const HeadLimits& limits);

  /// Returns the size of the head, including an empty line before it (RFC 9112 §2.2).
  [[nodiscard]] std::size_t end() const { return line_; }
  /// Stores the complete head in `into`, but leaves its body unchanged. Requires the same bytes. Converts a target in
  /// absolute form (RFC 9112 §3.2.2) to origin form, with its authority as Host.
  void read(std::string_view bytes, Request& into) const;
  /// Does the same for a response. Joins folded lines (§5.2), and removes a repeated Content-Length (§6.3).
  void read(std::string_view bytes, Response& into) const;
  [[nodiscard]] const HeadFacts& facts() const { return facts_; }
  [[nodiscard]] const Refusal& refusal() const { return refusal_; }

 private:
  bool take_line(std::string_view line, const HeadLimits& limits);
  bool take_request_line(std::string_view line, const HeadLimits& limits);
  bool take_target(std::string_view method, std::string_view target);
  bool take_status_line(std::string_view line);
  bool take_version(std::string_view version);
  bool take_header(std::string_view line);
  bool take_framing(std::string_view name, std::string_view value);
  bool take_content_length(std::string_view value);
  bool take_host(std::string_view value);
  bool take_connection(std::string_view value);
  bool check_partial(std::string_view bytes, const HeadLimits& limits);
  bool check_whole(const HeadLimits& limits);
  bool refuse(int status, std::string_view why);
  void read_headers(std::string_view rest, Headers& into) const;

  Kind kind_;
  std::size_t begin_ = 0;
  std::size_t line_ = 0;   ///< start of the current line
  std::size_t seen_ = 0;   ///< end of the searched bytes of the line, which contain no line end
  std::size_t lines_ = 0;  ///< number of lines, including the first
  bool has_host_ = false;
  bool has_transfer_encoding_ = false;
  bool is_absolute_ = false;  ///< true for a request target in absolute form
  bool repeats_length_ = false;
  HeadFacts facts_;
  Refusal refusal_;
};

}  // namespace tapedeck::http
