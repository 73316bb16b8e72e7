#include "replay/effects/effect_set.h"

#include <algorithm>

#include "replay/language/rule_subject.h"

namespace tapedeck::replay {

bool is_never_changed(std::string_view api_rest) {
  return api_rest == "API.Auth" || api_rest == "API.Info" || api_rest == "API.Encryption" ||
         api_rest == "Entry.Request";
}

EffectSet::EffectSet(std::vector<EffectPtr> effects)
    : effects_(std::move(effects)),
      is_plain_(std::all_of(effects_.begin(), effects_.end(),
                            [](const EffectPtr& effect) { return replay::is_plain(effect->params); })) {}

std::vector<EffectPtr> EffectSet::following(const RuleSubject& subject, std::string_view scope) const {
  std::vector<EffectPtr> found;
  if (subject.call->is_compound()) return found;
  for (const EffectPtr& effect : effects_) {
    if (effect->is_builtin && !found.empty() && !found.front()->is_builtin) break;
    const bool is_here = !effect->scope || *effect->scope == scope;
    if (is_here && effect->on.fits(*subject.call) && params_fit(effect->params, subject)) found.push_back(effect);
  }
  return found;
}

bool EffectSet::has_effect(const api::Call& call) const {
  return !call.is_compound() &&
         std::any_of(effects_.begin(), effects_.end(), [&](const EffectPtr& effect) { return effect->on.fits(call); });
}

bool EffectSet::is_changed(const api::Call& call) const {
  if (is_never_changed(call.name().rest)) return false;
  return std::any_of(effects_.begin(), effects_.end(), [&](const EffectPtr& effect) {
    return std::any_of(effect->changes.begin(), effect->changes.end(),
                       [&](const EffectChange& change) { return change.in.fits(call); });
  });
}

}  // namespace tapedeck::replay
