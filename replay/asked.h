#pragma once
// One request on its way along the chain of responders (design §1).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/request_key.h"
#include "http/message/message.h"
#include "replay/request_memo.h"
#include "replay/sessions/session.h"
#include "replay/sessions/session_table.h"

namespace tapedeck::replay {

/// What the player found but could not play: for the miss that may come of it.
struct PlayerNotes {
  std::vector<std::string> ambiguous;  ///< recordings that differ only in redacted places
  std::uint64_t hidden = 0;            ///< broken and withheld recordings of this very key
  bool at_end = false;                 ///< its sequence is over, under --at-end miss
  bool conditional = false;            ///< only answers to a condition or range that this request does not have
};

/// Belongs to the thread that answers. The session is set by the first responder, before the key is asked for.
class Asked {
 public:
  /// `base_paths` of the cassettes: one that leads the target is left out. `request` and `memo` must outlive this, and
  /// `memo` is not used for another request meanwhile.
  Asked(const http::Request& request, const std::vector<std::string>& base_paths, const api::KeyPolicy& policy,
        RequestMemo& memo);
  /// A part of a compound request, in the session of the whole.
  Asked(const Asked& whole, api::Call part);
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  [[nodiscard]] const http::Request& request() const { return *request_; }
  /// Null for what is no API call. Parses at the first use: a plain hit does without.
  [[nodiscard]] const api::Call* call() const;
  [[nodiscard]] bool is_call() const { return is_call_; }
  [[nodiscard]] CallKind kind() const { return kind_; }
  /// Of a call: api, version and method are there.
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  [[nodiscard]] bool is_part() const { return is_part_; }

  /// `_sid` of query or form, else the cookie `id` (field notes, "Login and sessions"); empty values count as none.
  [[nodiscard]] std::optional<std::string> presented_id() const;
  /// True when header X-SYNO-TOKEN or parameter SynoToken is there.
  [[nodiscard]] bool has_token() const;

  void set_session(std::shared_ptr<const Session> session) { session_ = std::move(session); }
  [[nodiscard]] const Session& session() const { return *session_; }
  /// The cursors that the header X-Tapedeck-Session names; null without it.
  std::shared_ptr<CursorScope> named_cursors;

  /// Under one policy: there is one so far. Values of the session in the request stand as the labels of the
  /// redactions that they would have become; `sessions` tells those of others.
  [[nodiscard]] const api::RequestKey& key(const api::KeyPolicy& policy, const SessionTable& sessions);
  /// True when the client sent HEAD. It is asked for as GET, whose answer the listener sends without its body.
  [[nodiscard]] bool is_head() const { return is_head_; }
  /// From now on the request has this method: a HEAD that was recorded as one has a key of its own.
  void ask_as(std::string_view method);

  PlayerNotes notes;

 private:
  [[nodiscard]] std::vector<api::Hole> own_values(const api::KeyPolicy& policy, const SessionTable& sessions) const;

  [[nodiscard]] bool is_free_of_ids(const SessionTable& sessions) const;

  const http::Request* request_;
  std::optional<http::Request> changed_;  ///< the request, when it is not the client's own
  RequestMemo* memo_ = nullptr;           ///< with this request in it; null when it is not remembered
  const Remembered* remembered_ = nullptr;
  mutable std::optional<api::Call> call_;
  mutable bool is_parsed_ = false;
  bool is_call_ = false;
  CallKind kind_ = CallKind::other;
  bool is_complete_ = false;
  bool is_part_ = false;
  bool is_head_ = false;
  std::shared_ptr<const Session> session_;
  std::optional<api::RequestKey> own_key_;
  const api::RequestKey* key_ = nullptr;
};

}  // namespace tapedeck::replay
