#pragma once
// What a request's text says, remembered: parsing it and building its key are most of a plain hit's work.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/request_key.h"
#include "base/text_hash.h"
#include "base/two_generations.h"
#include "http/message/message.h"

namespace tapedeck::replay {

/// What a call is to the chain; `other` also for what is no API call.
enum class CallKind { other, login, logout, info, compound };
[[nodiscard]] CallKind kind_of(const api::Call& call);

/// A GET, or a call that is a form without a query, but for the values that no key has (field notes, "Volatile or
/// secret").
struct Remembered {
  bool is_call = false;
  CallKind kind = CallKind::other;
  bool is_complete = false;               ///< of a call: api, version and method are there
  api::RequestKey key;                    ///< as long as no session's own value stands in the request
  std::vector<std::string> possible_ids;  ///< values that could be the id of another session
  /// The version of the overlays none of which has anything to do with it; 0: not known.
  mutable std::uint64_t untouched_by = 0;
  mutable std::uint64_t unaffected_by = 0;  ///< likewise of effects
};

/// From request text to what it means, for one thread. A key is a pure function of the target, or of path and form,
/// without the values that KeyPolicy leaves out, so equal texts in different sessions share an entry. Bounded in bytes.
class RequestMemo {
 public:
  explicit RequestMemo(std::size_t bytes) : entries_(bytes) {}

  /// Null for a text that is not remembered. Good until the next call of any function. The request must outlive what
  /// session_id() and text() say about it.
  [[nodiscard]] const Remembered* recall(const http::Request& request, const api::KeyPolicy& policy);
  /// The value of `_sid` in the text that recall() was given last, undecoded; empty without one.
  [[nodiscard]] std::string_view session_id() const { return session_id_; }
  /// That text without the values that were left out.
  [[nodiscard]] std::string_view text() const { return text_; }

  /// Takes down the text that recall() was given last when it is asked for again, unless it is one whose meaning its
  /// text alone does not tell.
  const Remembered* remember(const http::Request& request, const api::Call* call, const api::KeyPolicy& policy);

 private:
  bool read(const http::Request& request, const api::KeyPolicy& policy);
  bool read_form(const http::Request& request, const api::KeyPolicy& policy);
  bool shorten(std::string_view text, std::size_t begin, const api::KeyPolicy& policy);

  std::string_view text_;        ///< in the target, or in `shortened_`
  std::string_view session_id_;  ///< in the target, or in the body
  std::string shortened_;
  bool is_form_ = false;
  bool is_readable_ = false;
  base::TwoGenerations<std::string, Remembered, base::TextHash, std::equal_to<>> entries_;
};

/// Values of this length and more can be an id: shorter ones are not looked up as one.
inline constexpr std::size_t shortest_foreign_id = 16;

}  // namespace tapedeck::replay
