#include "replay/effects/effect_set.h"

#include <algorithm>

#include "replay/rules/rule_subject.h"

namespace tapedeck::replay {

bool is_never_changed(std::string_view api_rest) {
  return api_rest == "API.Auth" || api_rest == "API.Info" || api_rest == "API.Encryption" ||
         api_rest == "Entry.Request";
}

EffectSet::EffectSet(std::vector<EffectPtr> declared, std::vector<EffectPtr> builtin)
    : declared_(std::move(declared)), builtin_(std::move(builtin)) {
  for (const EffectPtr& effect : declared_) {
    is_plain_ = is_plain_ && replay::is_plain(effect->params);
  }
}

std::vector<EffectPtr> EffectSet::following(const RuleSubject& subject, std::string_view scope) const {
  std::vector<EffectPtr> found;
  if (subject.call->is_compound()) return found;
  for (const EffectPtr& effect : declared_) {
    const bool is_here = !effect->scope || *effect->scope == scope;
    if (is_here && effect->on.fits(*subject.call) && params_fit(effect->params, subject)) found.push_back(effect);
  }
  if (!found.empty()) return found;
  std::copy_if(builtin_.begin(), builtin_.end(), std::back_inserter(found),
               [&](const EffectPtr& effect) { return effect->on.fits(*subject.call); });
  return found;
}

bool EffectSet::has_effect(const api::Call& call) const {
  const auto follows = [&](const EffectPtr& effect) { return effect->on.fits(call); };
  return !call.is_compound() && (std::any_of(declared_.begin(), declared_.end(), follows) ||
                                 std::any_of(builtin_.begin(), builtin_.end(), follows));
}

bool EffectSet::is_changed(const api::Call& call) const {
  if (is_never_changed(call.name().rest)) return false;
  const auto changes = [&](const EffectPtr& effect) {
    return std::any_of(effect->changes.begin(), effect->changes.end(),
                       [&](const EffectChange& change) { return change.in.fits(call); });
  };
  return std::any_of(declared_.begin(), declared_.end(), changes) ||
         std::any_of(builtin_.begin(), builtin_.end(), changes);
}

}  // namespace tapedeck::replay
