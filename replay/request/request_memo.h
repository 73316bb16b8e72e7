#pragma once
// Remembers the meaning of request texts, because parsing and building the key are most of a plain hit's work.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/request_key.h"
#include "api/session_request.h"
#include "base/text_hash.h"
#include "base/two_generations.h"
#include "http/message/message.h"

namespace tapedeck::replay {

/// The kind of a call for the steps. `other` includes requests that are not calls. A resumption continues a session
/// after a reload of its page (docs/device-notes.md, "The handshake of the web login").
enum class CallKind { other, login, logout, resumption, info, compound };
[[nodiscard]] CallKind kind_of(const api::Call& call);

/// The meaning of a GET request, or of a call in a form without a query, without the values that keys leave out.
struct Remembered {
  bool is_call = false;
  CallKind kind = CallKind::other;
  api::SessionStep session_step = api::SessionStep::none;
  bool is_complete = false;               ///< for a call: true if it has api, version, and method
  api::RequestKey key;                    ///< empty if the request contains a value of the session
  std::vector<std::string> possible_ids;  ///< values that may be the ID of another session
  /// A version of the overlays in which none concerns the request; 0: unknown.
  mutable std::uint64_t untouched_by = 0;
  mutable std::uint64_t unaffected_by = 0;  ///< the same for effects
};

/// Maps request texts to their meaning, for one thread. A key depends only on the target, or on path and form, without
/// the values that KeyPolicy leaves out, so equal texts of different sessions share an entry. Limited in bytes.
class RequestMemo {
 public:
  explicit RequestMemo(std::size_t bytes) : entries_(bytes) {}

  /// Returns null for an unknown text. The result is valid until the next call of any function. The request must
  /// outlive session_id() and text().
  [[nodiscard]] const Remembered* recall(const http::Request& request, const api::KeyPolicy& policy);
  /// Returns the value of `_sid` in the last text of recall(), not decoded. Empty without one.
  [[nodiscard]] std::string_view session_id() const { return session_id_; }
  /// Returns the text without the values that were left out.
  [[nodiscard]] std::string_view text() const { return text_; }

  /// Stores the last text of recall() if it comes again, unless its meaning depends on more than the text.
  const Remembered* remember(const http::Request& request, const api::Call* call, const api::KeyPolicy& policy);

 private:
  bool read(const http::Request& request, const api::KeyPolicy& policy);
  bool read_form(const http::Request& request, const api::KeyPolicy& policy);
  bool shorten(std::string_view text, std::size_t begin, const api::KeyPolicy& policy);

  std::string_view text_;        ///< view of the target or of `shortened_`
  std::string_view session_id_;  ///< view of the target or of the body
  std::string shortened_;
  bool is_form_ = false;
  bool is_readable_ = false;
  base::TwoGenerations<std::string, Remembered, base::TextHash, std::equal_to<>> entries_;
};

/// The minimum length of another session's ID; shorter values are not looked up.
inline constexpr std::size_t shortest_foreign_id = 16;

}  // namespace tapedeck::replay
