#pragma once
// What one request says, read once (semantics §1, §2; toolkit §1).

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

/// A request with more parameters is refused: each of them is taken apart, and costs a hundred times its bytes.
inline constexpr std::size_t most_parameters = 65'536;

/// Immutable, for the thread that answers. A request whose text was read before is not parsed: what the text means is
/// borrowed from the memo until its next use, or until keep(). The request must outlive this.
class ParsedRequest {
 public:
  /// `base_paths` of the cassettes: one that leads the target is left out. A HEAD is read as the GET whose answer the
  /// listener sends without its body.
  ParsedRequest(const http::Request& request, const std::vector<std::string>& base_paths, const api::KeyPolicy& policy,
                RequestMemo& memo);
  /// The part at `place` of a compound request: id, token and scope are those of the whole.
  ParsedRequest(const ParsedRequest& whole, api::Call part, std::uint32_t place);
  ParsedRequest(ParsedRequest&&) = default;

  /// Without the scope's segment, the base path and a Content-Encoding, a HEAD as GET.
  [[nodiscard]] const http::Request& request() const { return *request_; }
  /// As the client sent it.
  [[nodiscard]] std::string_view verb() const { return is_head_ ? "HEAD" : std::string_view(request_->method); }
  [[nodiscard]] bool is_head() const { return is_head_; }
  /// The same request as one of its own: a HEAD that was recorded as such has another key than the GET.
  [[nodiscard]] ParsedRequest as_head() const;

  /// It has more than most_parameters. None of them is looked at then: request() has neither query nor body.
  [[nodiscard]] bool has_too_many_params() const { return has_too_many_params_; }
  [[nodiscard]] bool is_call() const { return is_call_; }
  /// Null for what is no API call. Parsed at the first use: a plain hit does without.
  [[nodiscard]] const api::Call* call() const;
  [[nodiscard]] CallKind kind() const { return kind_; }
  /// Of a call: api, version and method are there.
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  /// Of a compound's part: which one, from 0.
  [[nodiscard]] std::optional<std::uint32_t> part() const { return part_; }

  /// `_sid` of query or form, else the cookie `id` (field notes, "Login and sessions"); empty: none.
  [[nodiscard]] std::string_view session_id() const { return own_id_.empty() ? id_ : own_id_; }
  /// True when header X-SYNO-TOKEN or parameter SynoToken is there.
  [[nodiscard]] bool has_token() const;
  /// What the request itself says of its scope (toolkit §1); nothing: it does not.
  [[nodiscard]] const api::ScopeSaid& scope() const { return scope_; }
  /// "/~scope/NAME" as it led the target; empty without one.
  [[nodiscard]] const std::string& scope_segment() const { return scope_segment_; }

  [[nodiscard]] const api::KeyPolicy& policy() const { return policy_; }
  /// What its text means, if that is known; null otherwise.
  [[nodiscard]] const Remembered* remembered() const { return remembered_; }
  /// The text of a remembered request, without the values that no key has.
  [[nodiscard]] std::string_view text() const { return text_; }
  /// Parses what is still borrowed from the memo: for a request whose answer comes later.
  void keep();

 private:
  ParsedRequest(const http::Request& request, const api::KeyPolicy& policy) : request_(&request), policy_(policy) {}
  http::Request& change();
  /// Requests are stored without their Content-Encoding, and compared so. One that cannot be decoded stays as it is.
  void decode();
  void leave_out_too_many_params();
  /// Takes `length` bytes off the front of the target.
  void shorten(std::size_t length);
  void find_id(const RequestMemo& memo);

  const http::Request* request_;
  std::unique_ptr<http::Request> changed_;  ///< the request, when it is not the client's own
  api::KeyPolicy policy_;
  const Remembered* remembered_ = nullptr;
  std::string_view text_;
  mutable std::optional<api::Call> call_;
  mutable bool is_parsed_ = false;
  bool is_call_ = false;
  CallKind kind_ = CallKind::other;
  bool is_complete_ = false;
  bool is_head_ = false;
  bool whole_has_token_ = false;
  bool has_too_many_params_ = false;
  std::optional<std::uint32_t> part_;
  std::string_view id_;  ///< in the request, or in call_
  std::string own_id_;   ///< one that stands nowhere as it is
  api::ScopeSaid scope_;
  std::string scope_segment_;
};

}  // namespace tapedeck::replay
