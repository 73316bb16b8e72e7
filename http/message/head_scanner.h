#pragma once
// Parses the head of a message strictly. Accepts a head only if RFC 9112 allows exactly one interpretation. So it
// refuses everything that a proxy must not forward, such as folded lines in a request, an invalid Host or a list of
// them, and a Transfer-Encoding other than `chunked`. Unusual forms that the RFC requires recipients to accept are
// converted to the usual ones: devices are old, and a client may send requests as to a proxy.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message/message.h"

namespace tapedeck::http {

/// The maximum sizes of a head and its body, and the statuses for more.
struct HeadLimits {
  std::size_t head_bytes = 64 * 1024;    ///< first line and headers together: 431
  std::size_t header_lines = 100;        ///< 431
  std::size_t target_bytes = 32 * 1024;  ///< of a request: 414
  std::size_t body_bytes = 64u << 20;    ///< of a request: 413
};

/// Why a message is refused: the status of the response, and a text that contains nothing of the message.
struct Refusal {
  int status = 400;
  std::string_view why;
};

/// The framing of a message and the state of its connection, according to the head.
struct HeadFacts {
  int minor_version = 1;
  int status = 0;                               ///< of a response
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
  enum class Kind { request, answer };
  enum class State { need_more, complete, refused };

  explicit HeadScanner(Kind kind) : kind_(kind) {}
  /// Forgets the last head and begins the next one.
  void reset() { *this = HeadScanner(kind_); }

  /// Continues to read. Requires that `bytes` has all bytes of the head so far, from the first one on.
  [[nodiscard]] State feed(std::string_view bytes, const HeadLimits& limits);

  /// Returns the size of the head, including an empty line before it (RFC 9112 §2.2).
  [[nodiscard]] std::size_t end() const { return line_; }
  /// Stores the complete head in `into`, but not in its body. Requires the same bytes. Converts a target in absolute
  /// form (RFC 9112 §3.2.2) to origin form, with its authority as Host.
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
  std::size_t line_ = 0;   ///< where the current line begins
  std::size_t seen_ = 0;   ///< up to here, it contains no line end
  std::size_t lines_ = 0;  ///< number of lines, including the first
  bool has_host_ = false;
  bool has_transfer_encoding_ = false;
  bool is_absolute_ = false;  ///< the target of a request
  bool repeats_length_ = false;
  HeadFacts facts_;
  Refusal refusal_;
};

}  // namespace tapedeck::http
