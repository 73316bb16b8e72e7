#pragma once
// Answers as bytes: status line, framing and Connection by RFC 9112, whatever the handler gave.

#include <cstdint>

#include "http/message/message.h"
#include "http/server/exchange.h"
#include "http/server/out_queue.h"

namespace tapedeck::http {

/// Writes one answer after the other into a queue. Header lines that would break the message (a name that is no token,
/// a line break in a value) are left out: answers may come from a stranger's cassette. So are those that bind a browser
/// (binds_browsers).
class AnswerWriter {
 public:
  /// A new request is to be answered.
  void begin(const Request& request, bool keep_alive);
  void respond(OutQueue& out, Response&& response);
  void respond(OutQueue& out, const PreparedReply& reply);
  void respond(OutQueue& out, const Response& head, const SharedBytes& body);
  void start(OutQueue& out, const Response& head);
  void write(OutQueue& out, std::string&& bytes);
  void write(OutQueue& out, SharedBytes bytes);
  void finish(OutQueue& out);

  void forbid_keep_alive() { keep_alive_ = false; }
  /// After the answer: may the connection take another request?
  [[nodiscard]] bool keeps_alive() const { return keep_alive_; }
  /// After finish(): the body came out shorter than its Content-Length, so that the client must see a cut.
  [[nodiscard]] bool is_cut() const { return framing_ == Framing::length && left_ > 0; }
  /// The answer's end is the connection's end.
  [[nodiscard]] bool ends_with_connection() const { return framing_ == Framing::connection; }

 private:
  enum class Framing { none, length, chunked, connection };

  [[nodiscard]] bool has_body(const Response& response) const;
  [[nodiscard]] std::string whole_head(const Response& head, std::size_t body_bytes, std::size_t room_behind);
  [[nodiscard]] std::string head_text(const Response& response, std::size_t room_behind) const;
  void end_head(std::string& text) const;
  [[nodiscard]] std::size_t begin_piece(OutQueue& out, std::size_t bytes);

  bool to_head_ = false;
  int minor_version_ = 1;
  bool keep_alive_ = true;
  Framing framing_ = Framing::none;
  std::uint64_t left_ = 0;
};

}  // namespace tapedeck::http
