#include "replay/overlays/overlay_set.h"

#include <algorithm>
#include <unordered_set>

#include "http/message/urlencoded.h"

namespace tapedeck::replay {
namespace {

bool fits_text(const Overlay& overlay, const RuleSubject& subject, const SubjectParams& params) {
  if (overlay.call) {
    if (subject.call == nullptr || !overlay.call->fits(*subject.call)) return false;
  } else if (overlay.verb != subject.verb) {
    return false;
  }
  return params.fit(overlay.params) && !(overlay.exact && params.has_others(overlay.params));
}

/// Composes the overlays for one request, while its owner is locked.
class Composer {
 public:
  Composer(const OverlayClient& client, OverlayOwner& owner) : client_(client), owner_(owner) {}

  OverlayComposition compose(const std::vector<const OverlaySet::Rule*>& rules) {
    OverlayComposition composition;
    bool is_turn_taken = false;
    for (const OverlaySet::Rule* const rule : rules) {
      const bool takes_turns = rule->overlay->merge && rule->overlay->times;
      if (takes_turns && is_turn_taken) continue;
      auto play = take(*rule);
      if (!play) continue;
      is_turn_taken = is_turn_taken || takes_turns;
      if (play->overlay->ends_search()) {
        composition.answering = std::move(play);
        break;
      }
      composition.adjusting.push_back(std::move(*play));
    }
    // All conditions were checked against the previous state. If several overlays change the state, the topmost one
    // decides.
    if (composition.answering) change_state(*composition.answering->overlay);
    for (auto play = composition.adjusting.rbegin(); play != composition.adjusting.rend(); ++play) {
      change_state(*play->overlay);
    }
    return composition;
  }

 private:
  std::optional<OverlayPlay> take(const OverlaySet::Rule& rule) {
    const Overlay& overlay = *rule.overlay;
    if (overlay.account && *overlay.account != client_.account) return std::nullopt;
    if (overlay.scope && *overlay.scope != client_.scope) return std::nullopt;
    if (overlay.state && *overlay.state != owner_.state) return std::nullopt;
    if (overlay.after && !owner_.made.contains(overlay.after->text())) return std::nullopt;
    OverlayOwner::Count& count = owner_.counts[overlay.id];
    if (count.fits++ < overlay.skip) return std::nullopt;
    if (overlay.times && count.plays >= *overlay.times) return std::nullopt;
    OverlayPtr answer = answer_in_turn(rule.overlay, count.plays);
    if (!answer) return std::nullopt;
    OverlayPlay play{std::move(answer), rule.plays, count.plays + 1, false};
    ++count.plays;
    play.is_first = ++*rule.plays == 1;
    return play;
  }

  void change_state(const Overlay& overlay) {
    if (overlay.then && !overlay.patch && !overlay.merge) owner_.state = *overlay.then;
  }

  const OverlayClient& client_;
  OverlayOwner& owner_;
};

}  // namespace

OverlaySet::OverlaySet(std::vector<Rule> rules, EffectSet effects)
    : rules_(std::move(rules)), effects_(std::move(effects)) {
  std::unordered_set<std::string_view> known;  // texts in after_
  for (std::uint32_t place = 0; place < rules_.size(); ++place) {
    const Overlay& overlay = *rules_[place].overlay;
    if (!overlay.call) {
      by_path_[overlay.path].push_back(place);
    } else if (overlay.call->is_wide()) {
      wide_.push_back(place);
    } else {
      by_api_[overlay.call->api()].push_back(place);
    }
    is_plain_ = is_plain_ && replay::is_plain(overlay.params);
    if (!overlay.after) continue;
    if (known.insert(overlay.after->text()).second) after_.push_back(&*overlay.after);
  }
}

void OverlaySet::add(const ByName& index, std::string_view name, Places& places) {
  const auto found = index.find(name);
  if (found != index.end()) places.insert(places.end(), found->second.begin(), found->second.end());
}

OverlaySet::Candidates OverlaySet::candidates(const RuleSubject& subject) const {
  Candidates found;
  Places places;
  if (subject.call != nullptr) {
    places = wide_;
    add(by_api_, subject.call->name().rest, places);
    if (subject.call->name().rest != subject.call->api()) add(by_api_, subject.call->api(), places);
    for (const CallPattern* const pattern : after_) {
      if (pattern->fits(*subject.call)) found.noted.push_back(&pattern->text());
    }
  }
  if (!by_path_.empty() && !subject.target.empty())
    add(by_path_, http::percent_decode(http::split_target(subject.target).path, false), places);
  if (places.empty()) return found;
  std::sort(places.begin(), places.end());
  const SubjectParams params(subject);
  for (const std::uint32_t place : places) {
    if (fits_text(*rules_[place].overlay, subject, params)) found.rules.push_back(&rules_[place]);
  }
  return found;
}

OverlayComposition OverlaySet::compose(const Candidates& candidates, const OverlayClient& client,
                                       OverlayCounts& counts) const {
  if (candidates.rules.empty()) return {};
  const auto owner = counts.owner(client.owner);
  const std::lock_guard lock(owner->mutex);
  return Composer(client, *owner).compose(candidates.rules);
}

void finish_play(const OverlayPlay& play, std::string_view owner_name, bool applied, OverlayCounts& counts) {
  const auto owner = counts.owner(owner_name);
  const std::lock_guard lock(owner->mutex);
  if (applied) {
    if (play.overlay->then) owner->state = *play.overlay->then;
    return;
  }
  OverlayOwner::Count& count = owner->counts[play.overlay->id];
  if (count.fits > 0) --count.fits;
  if (count.plays > 0) --count.plays;
  --*play.plays;
}

void note_success(const OverlaySet::Candidates& candidates, std::string_view owner_name, OverlayCounts& counts) {
  if (candidates.noted.empty()) return;
  const auto owner = counts.owner(owner_name);
  const std::lock_guard lock(owner->mutex);
  for (const std::string* const pattern : candidates.noted) owner->made.insert(*pattern);
}

std::string_view Overlay::changing_member() const {
  for (const OverlayPtr& answer : answers) {
    if (const std::string_view member = answer->changing_member(); !member.empty()) return member;
  }
  if (fault) return "fault";
  if (delay) return "delay";
  if (hold) return "hold";
  if (cut_after) return "cut_after";
  if (patch) return "patch";
  if (merge) return "merge";
  if (body || !answers.empty()) return {};
  return status ? "status" : headers.empty() ? std::string_view() : "headers";
}

OverlayPtr answer_in_turn(const OverlayPtr& overlay, std::uint64_t plays) {
  const auto& answers = overlay->answers;
  if (answers.empty()) return overlay;
  if (plays < answers.size()) return answers[plays];
  switch (overlay->at_end) {
    case AnswersEnd::stick:
      return answers.back();
    case AnswersEnd::loop:
      return answers[plays % answers.size()];
    case AnswersEnd::pass:
      break;
  }
  return nullptr;
}

}  // namespace tapedeck::replay
