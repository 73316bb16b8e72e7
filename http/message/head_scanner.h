#pragma once
// The strict reading of a message's head. Nothing is taken that a proxy must not pass on (a request with folded lines,
// an odd or listed Host, a Transfer-Encoding that is not `chunked`): a head is taken only when it is one message by RFC
// 9112 in exactly one reading. What that RFC has a recipient take though it is odd is read in its usual form: devices
// are old, and a client may speak to us as to a proxy.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message/message.h"

namespace tapedeck::http {

/// How long a head may be, and the body that it announces.
struct HeadLimits {
  std::size_t head_bytes = 64 * 1024;    ///< first line and headers together: 431
  std::size_t header_lines = 100;        ///< 431
  std::size_t target_bytes = 32 * 1024;  ///< of a request: 414
  std::size_t body_bytes = 64u << 20;    ///< of a request: 413
};

/// Why a message is not taken: the status that says so, and words that hold nothing of the message.
struct Refusal {
  int status = 400;
  std::string_view why;
};

/// What a head says about its message's framing and connection.
struct HeadFacts {
  int minor_version = 1;
  int status = 0;                               ///< of an answer
  std::optional<std::uint64_t> content_length;  ///< one number, however often an answer repeats it
  bool chunked = false;
  bool says_close = false;
  bool says_keep_alive = false;
  bool expects_continue = false;

  [[nodiscard]] bool keeps_alive() const { return minor_version == 0 ? says_keep_alive && !says_close : !says_close; }
};

/// Reads one head as its bytes arrive; each byte is looked at once.
class HeadScanner {
 public:
  enum class Kind { request, answer };
  enum class State { need_more, complete, refused };

  explicit HeadScanner(Kind kind) : kind_(kind) {}
  /// Forgets the last head and begins the next one.
  void reset() { *this = HeadScanner(kind_); }

  /// `bytes` begins at the head's first byte each time and grows from call to call.
  [[nodiscard]] State feed(std::string_view bytes, const HeadLimits& limits);

  /// How many bytes the head took, an empty line before it included (RFC 9112 §2.2).
  [[nodiscard]] std::size_t end() const { return line_; }
  /// What the head says, out of the same bytes, once it is complete; `into.body` is left alone. A target in absolute
  /// form (RFC 9112 §3.2.2) becomes one in origin form, with its authority as Host.
  void read(std::string_view bytes, Request& into) const;
  /// The same of an answer: folded lines (§5.2) are one, and a Content-Length that is said again (§6.3) is said once.
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
  std::size_t seen_ = 0;   ///< up to here no line end was found in it
  std::size_t lines_ = 0;  ///< lines taken, the first included
  bool has_host_ = false;
  bool has_transfer_encoding_ = false;
  bool is_absolute_ = false;  ///< the target of a request
  bool repeats_length_ = false;
  HeadFacts facts_;
  Refusal refusal_;
};

}  // namespace tapedeck::http
