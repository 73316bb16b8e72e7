#pragma once
// The active overlays, from the top, and which of them match a request (docs/mocking.md, "Order").

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

/// The client of a request.
struct OverlayAsker {
  std::string_view account;  ///< of the session; empty for none
  std::string_view scope;    ///< the name without the run; empty outside of scopes
  std::string_view owner;    ///< of the counters
  std::string_view key;      ///< of the request
};

/// How often an overlay was used for anybody.
using OverlayPlays = std::shared_ptr<std::atomic<std::uint64_t>>;

/// An overlay that responds, or changes a response.
struct OverlayPlay {
  OverlayPtr overlay;
  OverlayPlays plays;
  std::uint64_t count = 0;     ///< {{count}}
  std::optional<Delay> delay;  ///< drawn: a duration or "recorded"
  bool is_first = false;       ///< it was not used before
};

struct OverlayComposition {
  std::vector<OverlayPlay> adjusting;  ///< changes of the response from below, from the top
  std::optional<OverlayPlay> answering;
  [[nodiscard]] bool empty() const { return adjusting.empty() && !answering; }
};

/// Immutable and thread-safe.
class OverlaySet {
 public:
  struct Rule {
    OverlayPtr overlay;
    OverlayPlays plays;
  };
  /// What depends only on a request's text. It can be remembered with the text as long as the set lives.
  struct Candidates {
    std::vector<const Rule*> rules;         ///< from the top
    std::vector<const std::string*> noted;  ///< patterns of `after` that match the call
    [[nodiscard]] bool empty() const { return rules.empty() && noted.empty(); }
  };

  OverlaySet() = default;
  explicit OverlaySet(std::vector<Rule> rules, EffectSet effects = {});

  [[nodiscard]] const std::vector<Rule>& rules() const { return rules_; }
  /// Returns the active effects.
  [[nodiscard]] const EffectSet& effects() const { return effects_; }
  /// Returns true if no condition uses parameters that keys leave out: texts with equal keys then have the same
  /// candidates.
  [[nodiscard]] bool is_plain() const { return is_plain_; }
  [[nodiscard]] Candidates candidates(const RuleSubject& subject) const;

  /// Counts what it returns: an overlay is never returned to two requests if `times` allows only one.
  [[nodiscard]] OverlayComposition compose(const Candidates& candidates, const OverlayAsker& asker,
                                           OverlayCounts& counts, std::uint64_t seed) const;

 private:
  using Places = std::vector<std::uint32_t>;  ///< in rules_
  using ByName = std::unordered_map<std::string_view, Places>;
  static void add(const ByName& index, std::string_view name, Places& places);

  std::vector<Rule> rules_;
  EffectSet effects_;
  ByName by_api_;  ///< rules that name one API
  ByName by_path_;
  Places wide_;
  std::vector<const CallPattern*> after_;  ///< each once
  bool is_plain_ = true;
};

/// Reports whether a patch or merge could be applied; if not, it does not count. Other overlays count from the start.
void settle(const OverlayPlay& play, std::string_view owner, bool applied, OverlayCounts& counts);
/// Notes that a call for which some `after` waits has succeeded.
void note_success(const OverlaySet::Candidates& candidates, std::string_view owner, OverlayCounts& counts);

}  // namespace tapedeck::replay
