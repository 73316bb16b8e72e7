#pragma once
// Contains the active overlays, sorted from the top, and finds those that match a request (docs/mocking.md, "Order").

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "replay/effects/effect_set.h"
#include "replay/language/rule_subject.h"
#include "replay/overlays/overlay.h"
#include "replay/overlays/overlay_counts.h"

namespace tapedeck::replay {

/// The client of a request.
struct OverlayClient {
  std::string_view account;  ///< account of the session; empty: none
  std::string_view scope;    ///< the name without the run; empty outside of scopes
  std::string_view owner;    ///< owner of the counters
};

/// The number of uses of an overlay by all clients together.
using OverlayPlays = std::shared_ptr<std::atomic<std::uint64_t>>;

/// An overlay that responds or changes a response.
struct OverlayPlay {
  OverlayPtr overlay;
  OverlayPlays plays;
  std::uint64_t count = 0;  ///< value of {{count}}
  bool is_first = false;    ///< true if it was not used before
};

struct OverlayComposition {
  std::vector<OverlayPlay> adjusting;  ///< overlays that change the response from below, sorted from the top
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
  /// The overlays that a request's text may match. Depends only on the text, so it can be stored with the text as long
  /// as the set exists.
  struct Candidates {
    std::vector<const Rule*> rules;         ///< sorted from the top
    std::vector<const std::string*> noted;  ///< patterns of `after` that match the call
    [[nodiscard]] bool empty() const { return rules.empty() && noted.empty(); }
  };

  OverlaySet() = default;
  explicit OverlaySet(std::vector<Rule> rules, EffectSet effects = {});

  [[nodiscard]] const std::vector<Rule>& rules() const { return rules_; }
  /// Returns the active effects.
  [[nodiscard]] const EffectSet& effects() const { return effects_; }
  /// Returns true if no condition uses parameters that keys leave out. Texts with equal keys then have the same
  /// candidates.
  [[nodiscard]] bool is_plain() const { return is_plain_; }
  [[nodiscard]] Candidates candidates(const RuleSubject& subject) const;

  /// Returns the overlays for a request and counts their use, so that an overlay with `times = 1` is never returned to
  /// two requests.
  [[nodiscard]] OverlayComposition compose(const Candidates& candidates, const OverlayClient& client,
                                           OverlayCounts& counts) const;

 private:
  using Places = std::vector<std::uint32_t>;  ///< indexes in rules_
  using ByName = std::unordered_map<std::string_view, Places>;
  static void add(const ByName& index, std::string_view name, Places& places);

  std::vector<Rule> rules_;
  EffectSet effects_;
  ByName by_api_;  ///< rules that name one API
  ByName by_path_;
  Places wide_;
  std::vector<const CallPattern*> after_;  ///< without duplicates
  bool is_plain_ = true;
};

/// Reports whether a patch or merge was applied. Otherwise, the use does not count. compose() counts other overlays.
void finish_play(const OverlayPlay& play, std::string_view owner, bool applied, OverlayCounts& counts);
/// Notes the success of a call that the `after` of an overlay requires.
void note_success(const OverlaySet::Candidates& candidates, std::string_view owner, OverlayCounts& counts);

/// A part of a compound whose success the `after` of an overlay requires.
struct NotedPart {
  std::size_t place = 0;
  OverlaySet::Candidates candidates;
};

/// The overlays for one request, kept until the reply of a later step.
struct RequestOverlays {
  std::shared_ptr<const OverlaySet> set;  ///< owns the overlays to which the candidates point
  std::string owner;                      ///< owner of the counters
  OverlaySet::Candidates candidates;
  std::vector<NotedPart> parts;  ///< parts of a compound, for one that is handled as a whole
  OverlayComposition composition;
  std::size_t longest_body = 0;  ///< maximum size of the response

  /// Returns true if an overlay changes the body of a response from below, which must then be whole.
  [[nodiscard]] bool changes_body() const {
    return std::any_of(composition.adjusting.begin(), composition.adjusting.end(),
                       [](const OverlayPlay& play) { return play.overlay->patch || play.overlay->merge; });
  }
};

}  // namespace tapedeck::replay
