#pragma once
// Writes responses as bytes, and decides which headers are added and removed, whatever kind of response a handler
// sends. Sets status line, framing, and Connection by RFC 9112, and ignores what the handler has set for these.

#include <cstdint>
#include <string>
#include <utility>

#include "http/message/message.h"
#include "http/server/exchange.h"
#include "http/server/out_queue.h"

namespace tapedeck::http {

/// Writes one response after another into a queue. Leaves out headers that would break the message (with an invalid
/// name or a line end in the value), because cassettes from other sources may contain them. Also leaves out headers
/// that only the server sets (is_servers_own()), and for an allowed page the CORS headers of the handler. The head of a
/// PreparedReply has none of these headers except Content-Length.
class ResponseWriter {
 public:
  /// Begins the response to a new request.
  void begin(const Request& request, bool keep_alive);
  /// Adds CORS headers for a page of this origin to the response.
  void allow_page(std::string origin) { page_ = std::move(origin); }
  void respond(OutQueue& out, Response&& response);
  void respond(OutQueue& out, const PreparedReply& reply);
  void respond(OutQueue& out, const Response& head, const SharedBytes& body);
  void start(OutQueue& out, const Response& head);
  void write(OutQueue& out, std::string&& bytes);
  void write(OutQueue& out, SharedBytes bytes);
  void finish(OutQueue& out);

  void forbid_keep_alive() { keep_alive_ = false; }
  /// Returns true if the connection may receive another request after the response.
  [[nodiscard]] bool keeps_alive() const { return keep_alive_; }
  /// Returns true after finish() if the body is shorter than its Content-Length, so that the connection must be closed.
  [[nodiscard]] bool is_cut() const { return framing_ == Framing::length && left_ > 0; }
  /// Returns true if the body ends with the connection.
  [[nodiscard]] bool ends_with_connection() const { return framing_ == Framing::connection; }

 private:
  enum class Framing { none, length, chunked, connection };

  [[nodiscard]] bool has_body(const Response& response) const;
  [[nodiscard]] std::string whole_head(const Response& head, std::size_t body_bytes, std::size_t room_behind);
  [[nodiscard]] std::string head_text(const Response& response, std::size_t room_behind) const;
  void add_page_lines(std::string& text, const Headers& headers) const;
  [[nodiscard]] std::string prepared_head(const PreparedReply& reply) const;
  void end_head(std::string& text) const;
  [[nodiscard]] std::size_t begin_piece(OutQueue& out, std::size_t bytes);

  std::string page_;  ///< origin of the page that may read the response, or ""
  bool to_head_ = false;
  int minor_version_ = 1;
  bool keep_alive_ = true;
  Framing framing_ = Framing::none;
  std::uint64_t left_ = 0;
};

}  // namespace tapedeck::http
