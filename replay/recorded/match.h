#pragma once
// Comparing a request with a recording, parameter by parameter: for looser matching and for the nearest recordings of
// a miss alike (semantics §1).

#include <string>
#include <string_view>
#include <vector>

#include "api/request_key.h"

namespace tapedeck::replay {

class Contents;

enum class Likeness {
  same,
  differs,
  missing,  ///< recorded, but not in the request
  extra,    ///< in the request, but not recorded
};
[[nodiscard]] std::string_view to_string(Likeness likeness);

struct ParamVerdict {
  std::string name;
  Likeness likeness = Likeness::same;
  bool redacted = false;  ///< the same because the recorded value was redacted, and any value fits there
};

struct Comparison {
  bool same_label = true;
  bool same_version = true;
  bool same_rest = true;             ///< of what is no call: path and body
  bool redacted_path = false;        ///< the path is the same because a piece of the recorded one was redacted
  bool redacted_body = false;        ///< so is the body
  std::vector<ParamVerdict> params;  ///< sorted by name

  [[nodiscard]] std::size_t differences() const;
  [[nodiscard]] bool uses_redaction() const;
};

/// Of two keys of one API and method (label left out), or of one verb. Without `contents`, the asked request's, files
/// and bodies in which something was redacted differ.
[[nodiscard]] Comparison compare(const api::RequestKey& asked, const api::RequestKey& recorded,
                                 const Contents* contents = nullptr);

/// True when `pattern`, in which `<LABEL>` stands for one or more characters, fits all of `text`.
[[nodiscard]] bool fits_pattern(std::string_view text, std::string_view pattern);

/// What may differ on a miss, in one API and method or in all (--ignore, --any-version, [[replay.match]]).
struct MatchRule {
  std::string api;                  ///< first label left out: "Core.Share"; empty: any, and what is no call
  std::string method;               ///< compared without case; empty: any
  std::vector<std::string> ignore;  ///< parameters
  bool any_version = false;

  [[nodiscard]] bool covers(const api::RequestKey& key) const;
};

struct Looseness {
  std::vector<MatchRule> rules;

  [[nodiscard]] bool ignores(const api::RequestKey& key, std::string_view param) const;
  [[nodiscard]] bool any_version(const api::RequestKey& key) const;
  [[nodiscard]] bool is_exact() const { return rules.empty(); }
};

/// Whether that recording may answer under those rules, the label aside.
[[nodiscard]] bool may_answer(const api::RequestKey& asked, const Comparison& comparison, const Looseness& looseness);
/// What was not exact, for X-Tapedeck-Match: "redacted=passwd, ignored=limit, version=2"; names and recorded versions
/// only.
[[nodiscard]] std::string match_note(const api::RequestKey& recorded, const Comparison& comparison);

}  // namespace tapedeck::replay
