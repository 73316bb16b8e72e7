#pragma once
// Comparing a request with a recording, parameter by parameter: for looser matching and for the nearest recordings of
// a miss alike (semantics §1).

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/request_key.h"
#include "replay/sessions/at_end.h"

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
  bool same_prefix = true;           ///< of a call
  bool same_rest = true;             ///< the body, and of what is no call the path
  bool redacted_path = false;        ///< the path is the same because a piece of the recorded one was redacted
  bool redacted_body = false;        ///< so is the body
  std::vector<ParamVerdict> params;  ///< sorted by name; all, or those that say most
  std::size_t left_out = 0;          ///< verdicts that are not among them
  std::size_t differing = 0;         ///< verdicts that are not `same`, of all
  bool redacted_params = false;      ///< some are `redacted`, of all

  [[nodiscard]] std::size_t differences() const;
  [[nodiscard]] bool uses_redaction() const { return redacted_path || redacted_body || redacted_params; }
  /// True when `params` has all that differ.
  [[nodiscard]] bool names_all() const;
};

/// A request ready to be compared with one recording after the other, each of one API and method with it (label left
/// out), or of one verb. A form can have 65,536 parameters, and a call thousands of recordings: what comparing with one
/// of them costs depends on how many parameters that one has. Views into `key` and `contents`.
class Asked {
 public:
  /// Whether a parameter with this verdict may be there; asked once for all of one name that are extra.
  using May = std::function<bool(std::string_view name, Likeness likeness)>;
  /// Verdicts that a comparison keeps, unless it is asked for more. What is the same gives way to what is not.
  static constexpr std::size_t most_verdicts = 50;

  /// Without `contents`, the request's, files and bodies in which something was redacted differ.
  explicit Asked(const api::RequestKey& key, const Contents* contents = nullptr);
  Asked(api::RequestKey&&, const Contents* = nullptr) = delete;

  [[nodiscard]] Comparison compare(const api::RequestKey& recorded, std::size_t most = most_verdicts) const;
  /// The same, or nothing as soon as a parameter has a verdict that it may not have.
  [[nodiscard]] std::optional<Comparison> compare_if(const api::RequestKey& recorded, const May& may) const;

 private:
  /// The parameters of one name.
  struct Group {
    std::string_view name;
    std::string_view items;  ///< from the first of them on
    std::size_t before = 0;  ///< parameters with other names in front of it
  };
  class Notes;
  [[nodiscard]] Comparison compare_rest(const api::RequestKey& recorded) const;
  /// False when `may` has said no.
  bool compare_params(const api::RequestKey& recorded, const May* may, Notes& notes) const;
  bool note_extra(std::size_t from, std::size_t to, const May* may, Notes& notes) const;
  [[nodiscard]] std::size_t count(std::size_t group) const { return groups_[group + 1].before - groups_[group].before; }

  const api::RequestKey& key_;
  const Contents* contents_;
  std::vector<Group> groups_;  ///< sorted by name, and one behind the last
};

/// All verdicts on two keys, for who shows one recording.
[[nodiscard]] Comparison compare(const api::RequestKey& asked, const api::RequestKey& recorded);

/// True when `pattern`, in which `<LABEL>` stands for one or more characters, fits all of `text`.
[[nodiscard]] bool fits_pattern(std::string_view text, std::string_view pattern);

/// What may differ on a miss, in one API and method or in all (--ignore, --bind, --any-version, [[replay.match]]).
struct MatchRule {
  std::string api;                  ///< first label left out: "Core.Share"; empty: any, and what is no call
  std::string method;               ///< compared without case; empty: any
  std::vector<std::string> ignore;  ///< parameters
  std::vector<std::string> bind;    ///< parameters whose values the client draws anew
  bool any_version = false;
  std::optional<AtEnd> at_end = {};  ///< in the place of --at-end

  /// Whether it lets anything differ.
  [[nodiscard]] bool loosens() const { return any_version || !ignore.empty(); }
  [[nodiscard]] bool covers(const api::RequestKey& key) const;
};

struct Looseness {
  std::vector<MatchRule> rules;

  [[nodiscard]] bool ignores(const api::RequestKey& key, std::string_view param) const;
  [[nodiscard]] bool binds(const api::RequestKey& key, std::string_view param) const;
  /// Some rule binds a parameter of some call.
  [[nodiscard]] bool binds_any() const;
  [[nodiscard]] bool any_version(const api::RequestKey& key) const;
  /// Of the first rule that covers the key and has one.
  [[nodiscard]] std::optional<AtEnd> at_end(const api::RequestKey& key) const;
};

/// Returns what the request has where the recorded key has holes, decoded, in the order of the recorded text; empty texts
/// where that is not known, as in bodies.
[[nodiscard]] std::vector<std::string> values_in_holes(const api::RequestKey& asked, const api::RequestKey& recorded);

/// What was not exact, for X-Tapedeck-Match: "redacted=passwd, ignored=limit, version=2"; names and recorded versions
/// only, and not those of verdicts that were left out.
[[nodiscard]] std::string match_note(const api::RequestKey& recorded, const Comparison& comparison);

}  // namespace tapedeck::replay
