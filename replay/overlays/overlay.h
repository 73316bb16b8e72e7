#pragma once
// Defines overlays: hand-written responses with conditions (docs/mocking.md).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/json_patch.h"
#include "http/message/message.h"
#include "replay/language/call_pattern.h"
#include "replay/language/member_reader.h"
#include "replay/language/overlay_text.h"
#include "replay/language/template_text.h"
#include "replay/overlays/delay.h"

namespace tapedeck::replay {

/// The fault that replaces or damages a response.
enum class Fault {
  reset,    ///< the connection is reset (RST), nothing is sent
  close,    ///< the connection is closed, nothing is sent
  cut,      ///< the body ends early, and so does the connection
  hang,     ///< nothing is sent until the client disconnects
  garbage,  ///< bytes that are not HTTP, then the connection is closed
  empty,    ///< a head without a body
};

/// The behavior of an overlay with `answers` after the last one.
enum class AnswersEnd {
  stick,  ///< repeats the last one
  loop,   ///< starts over
  pass,   ///< passes the request on
};

/// An overlay. Has at most one of `body`, `patch`, and `merge`.
struct Overlay {
  std::string name;  ///< the given name, or else the call's text, with a number if the name exists
  std::string file;  ///< its source: "crashed.toml", or "overlays" for a posted one
  std::size_t line = 0;
  std::string fingerprint;             ///< equal for equal rules
  std::vector<OverlayMember> members;  ///< the members in their given form
  /// Identifies the rule within its set. The ID depends on the content and not on the line, so an unchanged rule keeps
  /// its counters when the file is read again.
  std::uint64_t id = 0;

  // The following members are conditions: either a call, or a verb and a path.
  std::optional<CallPattern> call;
  std::string verb, path;
  std::vector<ParamCondition> params;
  bool exact = false;  ///< true if no other parameters may be present
  std::optional<std::string> account, scope, state;
  std::optional<CallPattern> after;
  std::optional<std::uint64_t> times;
  std::uint64_t skip = 0;

  // The following members define the response.
  std::shared_ptr<const TemplateText> body;  ///< from data, error, json, or file
  std::string content_type;                  ///< Content-Type of `body`
  std::optional<TemplateText> patch, merge;
  std::optional<api::JsonPatch> ready_patch;  ///< `patch`, if it has no marks
  std::optional<int> status;
  std::vector<http::Header> headers;  ///< headers to set; one with an empty value is removed
  std::optional<Delay> delay;
  bool hold = false;  ///< true if the response waits until somebody lets it go (HeldReplies)
  std::optional<Fault> fault;
  std::optional<std::size_t> cut;          ///< number of bytes of the body that are sent; without a value, half of them
  std::optional<std::uint64_t> cut_after;  ///< number of messages after which a WebSocket is cut
  std::optional<std::string> then;

  /// Responses that are used in turn, one for each request, with the conditions and the ID of this overlay. Usually
  /// empty.
  std::vector<std::shared_ptr<const Overlay>> answers;
  AnswersEnd at_end = AnswersEnd::stick;

  /// Returns the member that changes, delays, or replaces a response of another source, such as "merge"; empty if the
  /// overlay only responds itself. While recording, overlays must not have one.
  [[nodiscard]] std::string_view changing_member() const;
  /// Returns true if the overlay responds or a fault replaces the response, so that no overlay below it is used.
  [[nodiscard]] bool ends_search() const { return body != nullptr || (fault && *fault != Fault::cut); }
};
using OverlayPtr = std::shared_ptr<const Overlay>;

/// Returns the element of `answers` to use after `plays` uses, or nothing if the overlay passes the request on. An
/// overlay without `answers` returns itself.
[[nodiscard]] OverlayPtr answer_in_turn(const OverlayPtr& overlay, std::uint64_t plays);

}  // namespace tapedeck::replay
