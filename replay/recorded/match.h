#pragma once
// Compares a request with a recording, parameter by parameter, for looser matching and for the nearest recordings of a
// miss (docs/matching.md, "Keys").

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/request_key.h"
#include "replay/sessions/at_end.h"

namespace tapedeck::replay {

enum class Likeness {
  same,
  differs,
  missing,  ///< a recorded parameter that the request does not have
  extra,    ///< a parameter of the request that was not recorded
};
[[nodiscard]] std::string_view to_string(Likeness likeness);

struct ParamVerdict {
  std::string name;
  Likeness likeness = Likeness::same;
  bool redacted = false;  ///< true if it is equal because the recorded value was redacted and matches any value
};

struct Comparison {
  bool same_label = true;
  bool same_version = true;
  bool same_prefix = true;  ///< for calls: true if the prefixes are equal
  /// True if the bodies are equal, and for requests that are not calls also the paths.
  bool same_rest = true;
  bool redacted_path = false;        ///< true if the path is equal because a piece of the recorded one was redacted
  bool redacted_body = false;        ///< true if the form is equal because a value of the recorded one was redacted
  std::vector<ParamVerdict> params;  ///< sorted by name; the most important ones if there are too many
  std::size_t left_out = 0;          ///< number of verdicts that `params` leaves out
  std::size_t differing = 0;         ///< number of all verdicts except `same`
  bool redacted_params = false;      ///< true if a verdict, kept or left out, is `redacted`

  [[nodiscard]] std::size_t differences() const;
  [[nodiscard]] bool uses_redaction() const { return redacted_path || redacted_body || redacted_params; }
  /// Returns true if `params` contains all differing parameters.
  [[nodiscard]] bool names_all() const;
};

/// A request that is prepared for comparisons with many recordings of the same API and method (without label), or of
/// the same verb. A form can have 65,536 parameters, and a call thousands of recordings, so the time of a comparison
/// depends only on the parameters of the recording. Has views of `key` and `form`.
class Asked {
 public:
  /// Returns true if a parameter may have this verdict. Called once for all extra parameters with the same name.
  using May = std::function<bool(std::string_view name, Likeness likeness)>;
  /// The number of verdicts that a comparison keeps by default. Equal ones are left out first.
  static constexpr std::size_t most_verdicts = 50;

  /// `form` is the form of a request that is not a call (KeyPolicy::body_items). Without it, forms with redactions
  /// count as different.
  explicit Asked(const api::RequestKey& key, std::string_view form = {});
  Asked(api::RequestKey&&, std::string_view = {}) = delete;

  [[nodiscard]] Comparison compare(const api::RequestKey& recorded, std::size_t most = most_verdicts) const;
  /// Compares a recording. Returns nothing as soon as a parameter has a verdict that `may` does not allow.
  [[nodiscard]] std::optional<Comparison> compare_if(const api::RequestKey& recorded, const May& may) const;

 private:
  /// The parameters with one name.
  struct Group {
    std::string_view name;
    std::string_view items;  ///< the items starting with the first of these parameters
    std::size_t before = 0;  ///< number of parameters with other names before it
  };
  class Notes;
  [[nodiscard]] Comparison compare_rest(const api::RequestKey& recorded) const;
  /// Returns false if `may` has returned false.
  bool compare_params(const api::RequestKey& recorded, const May* may, Notes& notes) const;
  bool note_extra(std::size_t from, std::size_t to, const May* may, Notes& notes) const;
  [[nodiscard]] std::size_t count(std::size_t group) const { return groups_[group + 1].before - groups_[group].before; }

  const api::RequestKey& key_;
  std::string_view form_;
  std::vector<Group> groups_;  ///< sorted by name, with an end marker
};

/// Returns all verdicts on two keys, for displaying one recording.
[[nodiscard]] Comparison compare(const api::RequestKey& asked, const api::RequestKey& recorded);

/// Returns true if `pattern`, in which `<LABEL>` matches one or more characters, matches all of `text`.
[[nodiscard]] bool fits_pattern(std::string_view text, std::string_view pattern);

/// The differences that a rule allows on a miss, for one API and method or for all (--ignore, --bind, --any-version,
/// [[replay.match]]).
struct MatchRule {
  std::string api;     ///< without the first label: "Core.Share"; empty: any, and requests that are not calls
  std::string method;  ///< compared without case; empty: any
  std::vector<std::string> ignore;  ///< names of parameters
  std::vector<std::string> bind;    ///< parameters whose values the client generates anew in each run
  bool any_version = false;
  std::optional<AtEnd> at_end = {};  ///< used in place of --at-end

  /// Returns true if the rule allows any difference.
  [[nodiscard]] bool loosens() const { return any_version || !ignore.empty(); }
  [[nodiscard]] bool covers(const api::RequestKey& key) const;
};

struct Looseness {
  std::vector<MatchRule> rules;

  [[nodiscard]] bool ignores(const api::RequestKey& key, std::string_view param) const;
  [[nodiscard]] bool binds(const api::RequestKey& key, std::string_view param) const;
  /// Returns true if a rule binds a parameter of any call.
  [[nodiscard]] bool binds_any() const;
  [[nodiscard]] bool any_version(const api::RequestKey& key) const;
  /// Returns the `at_end` of the first rule that covers the key and has one.
  [[nodiscard]] std::optional<AtEnd> at_end(const api::RequestKey& key) const;
};

/// Returns the decoded values that the request has in place of the recorded key's holes, in the order of the recorded
/// text. A value is empty if it is unknown, as in bodies.
[[nodiscard]] std::vector<std::string> values_in_holes(const api::RequestKey& asked, const api::RequestKey& recorded);

/// Returns the text of X-Tapedeck-Match, such as "redacted=passwd, ignored=limit, version=2". The text contains only
/// names and recorded versions.
[[nodiscard]] std::string match_note(const api::RequestKey& recorded, const Comparison& comparison);

/// Thread-safe.
class LiveRules {
 public:
  static constexpr std::size_t most = 1'000;  ///< the maximum number of rules

  struct Rule {
    std::uint64_t id = 0;  ///< from 1, never reused
    MatchRule rule;
  };

  explicit LiveRules(Looseness looseness);

  /// Returns a number that grows with every change. A result of current() is valid until then.
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  [[nodiscard]] std::shared_ptr<const Looseness> current() const;
  [[nodiscard]] std::vector<Rule> list() const;

  /// Adds a rule. Returns its ID, or nothing if there are too many rules.
  std::optional<std::uint64_t> add(MatchRule rule);
  /// Removes a rule. Returns false if there is none with this ID.
  bool remove(std::uint64_t id);

 private:
  void put_in_force();

  std::atomic<std::uint64_t> version_ = 0;
  mutable std::mutex mutex_;  ///< guards the following members
  std::vector<Rule> rules_;
  std::uint64_t last_id_ = 0;
  std::shared_ptr<const Looseness> current_;
};

}  // namespace tapedeck::replay
