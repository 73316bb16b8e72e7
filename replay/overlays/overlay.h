#pragma once
// A hand-written response, and when it is used (docs/mocking.md).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/json_patch.h"
#include "http/message/message.h"
#include "replay/overlays/delay.h"
#include "replay/rules/call_pattern.h"
#include "replay/rules/member_reader.h"
#include "replay/rules/overlay_text.h"
#include "replay/rules/template_text.h"

namespace tapedeck::replay {

/// What happens to a response on its way.
enum class Fault {
  reset,    ///< the connection is reset (RST), nothing is sent
  close,    ///< the connection is closed, nothing is sent
  cut,      ///< the body ends early, and so does the connection
  hang,     ///< nothing is sent until the client gives up
  garbage,  ///< bytes that are not HTTP, then the connection is closed
  empty,    ///< a head without a body
};

/// What an overlay with `answers` does after the last one.
enum class AnswersEnd {
  stick,  ///< repeats the last one
  loop,   ///< starts over
  pass,   ///< passes the request on
};

/// Has at most one of `body`, `patch`, and `merge`.
struct Overlay {
  std::string name;  ///< as given, or else the call's text, with a number if the name exists
  std::string file;  ///< where it is: "crashed.toml", or "overlays" for a posted one
  std::size_t line = 0;
  std::string fingerprint;             ///< equal for equal rules
  std::vector<OverlayMember> members;  ///< as they were given
  /// Identifies the rule within its set. It depends on the content and not on the line, so an unchanged rule keeps its
  /// counters when the file is read again.
  std::uint64_t id = 0;

  // When it matches: either a call, or a verb and a path.
  std::optional<CallPattern> call;
  std::string verb, path;
  std::vector<ParamCondition> params;
  bool exact = false;  ///< no other parameters
  std::optional<std::string> account, scope, state;
  std::optional<CallPattern> after;
  std::optional<std::uint64_t> times;
  std::uint64_t skip = 0;
  double chance = 1;

  // What it does.
  std::shared_ptr<const TemplateText> body;  ///< from data, error, json, or file
  std::string content_type;                  ///< of `body`
  std::optional<TemplateText> patch, merge;
  std::optional<api::JsonPatch> ready_patch;  ///< `patch`, if it has no marks
  std::optional<int> status;
  std::vector<http::Header> headers;  ///< to set; one with an empty value is removed
  std::optional<Delay> delay;
  std::optional<Fault> fault;
  std::optional<std::size_t> cut;  ///< bytes of the body that are sent; empty: half of them
  std::optional<std::string> then;

  /// Responses that are used in turn, one for each request, with the conditions and the ID of this overlay. Usually
  /// empty.
  std::vector<std::shared_ptr<const Overlay>> answers;
  AnswersEnd at_end = AnswersEnd::stick;

  /// Returns true if it responds or a fault replaces the response, so that no overlay below is used.
  [[nodiscard]] bool ends_search() const { return body != nullptr || (fault && *fault != Fault::cut); }
  [[nodiscard]] bool draws() const;
};
using OverlayPtr = std::shared_ptr<const Overlay>;

/// Returns the element of `answers` to use after `plays` uses, or nothing if the overlay passes the request on. An
/// overlay without `answers` returns itself.
[[nodiscard]] OverlayPtr answer_in_turn(const OverlayPtr& overlay, std::uint64_t plays);

}  // namespace tapedeck::replay
