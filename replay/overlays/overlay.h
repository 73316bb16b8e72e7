#pragma once
// A hand-written answer, and when it is given (toolkit §2).

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

/// What becomes of an answer on its way.
enum class Fault {
  reset,    ///< the connection is reset (RST), nothing is sent
  close,    ///< the connection is closed, nothing is sent
  cut,      ///< the body ends early, and so does the connection
  hang,     ///< nothing is sent until the client gives up
  garbage,  ///< something that is no HTTP, then the connection is closed
  empty,    ///< a head and no body
};

/// What an overlay with `answers` does after the last of them.
enum class AnswersEnd {
  stick,  ///< gives the last one again
  loop,   ///< begins with the first one again
  pass,   ///< leaves the request to what lies below
};

/// At most one of `body`, `patch` and `merge` is there.
struct Overlay {
  std::string name;  ///< the given one; else the call's text, with a number behind it where another has that name
  std::string file;  ///< where it stands: "crashed.toml", or "overlays" for a posted one
  std::size_t line = 0;
  std::string fingerprint;             ///< equal for rules that say the same
  std::vector<OverlayMember> members;  ///< as they were given
  /// Which rule it is among those of its set, whatever line it stands in: what counts for one that did not change goes
  /// on counting when the file is read again.
  std::uint64_t id = 0;

  // When it fits. Either a call, or a verb and a path.
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
  std::shared_ptr<const TemplateText> body;  ///< of data, error, json or file
  std::string content_type;                  ///< of `body`
  std::optional<TemplateText> patch, merge;
  std::optional<api::JsonPatch> ready_patch;  ///< `patch`, when nothing in it is a mark
  std::optional<int> status;
  std::vector<http::Header> headers;  ///< set; one with an empty value is removed
  std::optional<Delay> delay;
  std::optional<Fault> fault;
  std::optional<std::size_t> cut;  ///< bytes of the body that are sent; nothing: half of them
  std::optional<std::string> then;

  /// One for each request in turn, in the place of this overlay; each has its conditions and its id. Empty for most.
  std::vector<std::shared_ptr<const Overlay>> answers;
  AnswersEnd at_end = AnswersEnd::stick;

  /// Nothing further down is asked: it answers, or a fault takes the answer's place.
  [[nodiscard]] bool ends_search() const { return body != nullptr || (fault && *fault != Fault::cut); }
  [[nodiscard]] bool draws() const;
};
using OverlayPtr = std::shared_ptr<const Overlay>;

/// Which of its answers plays after `plays` of them; nothing where it leaves the request to what lies below. An overlay
/// without `answers` is its own.
[[nodiscard]] OverlayPtr answer_in_turn(const OverlayPtr& overlay, std::uint64_t plays);

}  // namespace tapedeck::replay
