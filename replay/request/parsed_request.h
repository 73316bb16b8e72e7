#pragma once
// Parses a request for replay (docs/replay.md, docs/testing.md).

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/request_key.h"
#include "api/scope_name.h"
#include "http/message/message.h"
#include "replay/request/request_memo.h"

namespace tapedeck::replay {

/// The maximum number of parameters of a request. Each one costs a hundred times its size, so requests with more are
/// refused.
inline constexpr std::size_t most_parameters = 65'536;

/// Immutable. Use it on the thread that responds. A request whose text is known is not parsed. Instead, its meaning is
/// borrowed from the memo until the memo's next use. The request must outlive the object.
class ParsedRequest {
 public:
  /// `base_paths` of the cassettes are removed from the target. A HEAD request is read as the GET request whose
  /// response the listener sends without a body.
  ParsedRequest(const http::Request& request, const std::vector<std::string>& base_paths, const api::KeyPolicy& policy,
                RequestMemo& memo);
  /// Creates the part at `place` of a compound request. It has the ID, token, and scope of the whole.
  ParsedRequest(const ParsedRequest& whole, api::Call part, std::uint32_t place);
  ParsedRequest(ParsedRequest&&) = default;

  /// Returns the request without the scope's segment, the base path, and a Content-Encoding. A HEAD request becomes a
  /// GET request.
  [[nodiscard]] const http::Request& request() const { return *request_; }
  /// Returns the verb that the client sent.
  [[nodiscard]] std::string_view verb() const { return is_head_ ? "HEAD" : std::string_view(request_->method); }
  [[nodiscard]] bool is_head() const { return is_head_; }
  /// Returns the same request as a HEAD, whose key differs from that of the GET.
  [[nodiscard]] ParsedRequest as_head() const;

  /// Returns true if it has more than most_parameters. They are then not parsed, and request() has neither query nor
  /// body.
  [[nodiscard]] bool has_too_many_params() const { return has_too_many_params_; }
  [[nodiscard]] bool is_call() const { return is_call_; }
  /// Returns the call, or null if it is not an API call. Parses it at its first use, because a plain hit does not need
  /// it.
  [[nodiscard]] const api::Call* call() const;
  [[nodiscard]] CallKind kind() const { return kind_; }
  /// Returns whether it is a login or logout, of any API or of none.
  [[nodiscard]] api::SessionStep session_step() const { return session_step_; }
  /// For a call, returns true if it has api, version, and method.
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  /// Returns the index of a compound's part, from 0.
  [[nodiscard]] std::optional<std::uint32_t> part() const { return part_; }

  /// Returns the ID of the session (api::carried_id). Empty if there is none.
  [[nodiscard]] std::string_view session_id() const { return own_id_.empty() ? id_ : own_id_; }
  /// Returns true if there is a header X-SYNO-TOKEN or a parameter SynoToken.
  [[nodiscard]] bool has_token() const;
  /// Returns the scope that the request names, if there is one.
  [[nodiscard]] const api::RequestedScope& scope() const { return scope_; }
  /// Returns the leading "/~scope/NAME" of the target; empty without one.
  [[nodiscard]] const std::string& scope_segment() const { return scope_segment_; }

  [[nodiscard]] const api::KeyPolicy& policy() const { return policy_; }
  /// Returns the known meaning of its text, or null.
  [[nodiscard]] const Remembered* remembered() const { return remembered_; }
  /// Returns the text of a remembered request, without the values that keys leave out.
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  ParsedRequest(const http::Request& request, const api::KeyPolicy& policy) : request_(&request), policy_(policy) {}
  http::Request& change();
  /// Removes the Content-Encoding, as in stored requests. An encoding that cannot be decoded stays.
  void decode();
  void leave_out_too_many_params();
  /// Removes `length` bytes from the front of the target.
  void shorten(std::size_t length);
  void find_id(const RequestMemo& memo);

  const http::Request* request_;
  std::unique_ptr<http::Request> changed_;  ///< the request, if it was changed
  api::KeyPolicy policy_;
  const Remembered* remembered_ = nullptr;
  std::string_view text_;
  mutable std::optional<api::Call> call_;
  mutable bool is_parsed_ = false;
  bool is_call_ = false;
  CallKind kind_ = CallKind::other;
  api::SessionStep session_step_ = api::SessionStep::none;
  bool is_complete_ = false;
  bool is_head_ = false;
  bool whole_has_token_ = false;
  bool has_too_many_params_ = false;
  std::optional<std::uint32_t> part_;
  std::string_view id_;  ///< view of the request or of call_
  std::string own_id_;   ///< an ID that the request contains only in encoded form
  api::RequestedScope scope_;
  std::string scope_segment_;
};

}  // namespace tapedeck::replay
