#pragma once
// The overlays in force, from the top, and which of them answer a request (toolkit §2, "Composition").

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "replay/effects/effect_set.h"
#include "replay/overlays/overlay.h"
#include "replay/overlays/overlay_counts.h"
#include "replay/rules/rule_subject.h"

namespace tapedeck::replay {

/// Who asks.
struct OverlayAsker {
  std::string_view account;  ///< of the session; empty for none
  std::string_view scope;    ///< its name without the run; empty outside of scopes
  std::string_view owner;    ///< of the counts
  std::string_view key;      ///< of the request
};

/// How often an overlay answered anybody.
using OverlayPlays = std::shared_ptr<std::atomic<std::uint64_t>>;

/// An overlay that answers, or changes an answer.
struct OverlayPlay {
  OverlayPtr overlay;
  OverlayPlays plays;
  std::uint64_t count = 0;     ///< {{count}}
  std::optional<Delay> delay;  ///< drawn: a duration or "recorded"
  bool is_first = false;       ///< nobody was given it before
};

struct OverlayComposition {
  std::vector<OverlayPlay> adjusting;  ///< of the answer from further down, from the top
  std::optional<OverlayPlay> answering;
  [[nodiscard]] bool empty() const { return adjusting.empty() && !answering; }
};

/// Immutable; shared between threads.
class OverlaySet {
 public:
  struct Rule {
    OverlayPtr overlay;
    OverlayPlays plays;
  };
  /// What can be said of a request's text alone: it may be remembered with the text, as long as the set lives.
  struct Candidates {
    std::vector<const Rule*> rules;         ///< from the top
    std::vector<const std::string*> noted;  ///< patterns of `after` that this call is
    [[nodiscard]] bool empty() const { return rules.empty() && noted.empty(); }
  };

  OverlaySet() = default;
  explicit OverlaySet(std::vector<Rule> rules, EffectSet effects = {});

  [[nodiscard]] const std::vector<Rule>& rules() const { return rules_; }
  /// Those that are in force beside the rules.
  [[nodiscard]] const EffectSet& effects() const { return effects_; }
  /// No condition looks at parameters that no key has: texts of equal keys have the same candidates.
  [[nodiscard]] bool is_plain() const { return is_plain_; }
  [[nodiscard]] Candidates candidates(const RuleSubject& subject) const;

  /// Counts what it gives: the same overlay is never given to two requests where `times` has room for one.
  [[nodiscard]] OverlayComposition compose(const Candidates& candidates, const OverlayAsker& asker,
                                           OverlayCounts& counts, std::uint64_t seed) const;

 private:
  using Places = std::vector<std::uint32_t>;  ///< in rules_
  using ByName = std::unordered_map<std::string_view, Places>;
  static void add(const ByName& index, std::string_view name, Places& places);

  std::vector<Rule> rules_;
  EffectSet effects_;
  ByName by_api_;  ///< of rules that name one API
  ByName by_path_;
  Places wide_;
  std::vector<const CallPattern*> after_;  ///< each once
  bool is_plain_ = true;
};

/// Tells whether a patch or merge that was given could be applied: if not, it counts as not given. What was given
/// otherwise is settled from the start.
void settle(const OverlayPlay& play, std::string_view owner, bool applied, OverlayCounts& counts);
/// A call that some `after` waits for succeeded.
void note_success(const OverlaySet::Candidates& candidates, std::string_view owner, OverlayCounts& counts);

}  // namespace tapedeck::replay
