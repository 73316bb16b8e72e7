#pragma once
// Contains the active effects, and finds those that concern a call.

#include <string_view>
#include <vector>

#include "api/call.h"
#include "replay/effects/effect.h"

namespace tapedeck::replay {

struct RuleSubject;

/// Returns true if effects must not change responses of this API (without its first label).
[[nodiscard]] bool is_never_changed(std::string_view api_rest);

/// Immutable and thread-safe.
class EffectSet {
 public:
  EffectSet() = default;
  /// `effects` are in order, and built-in ones are last.
  explicit EffectSet(std::vector<EffectPtr> effects);

  [[nodiscard]] bool empty() const { return effects_.empty(); }
  /// Returns true if no condition uses parameters that keys leave out. Texts with equal keys then have the same
  /// effects.
  [[nodiscard]] bool is_plain() const { return is_plain_; }

  /// Returns the effects of the call in order. Declared ones replace built-in ones. `scope` is without the run.
  [[nodiscard]] std::vector<EffectPtr> following(const RuleSubject& subject, std::string_view scope) const;
  /// Returns true if an effect follows the call, in any scope.
  [[nodiscard]] bool has_effect(const api::Call& call) const;
  /// Returns true if an effect changes responses to the call.
  [[nodiscard]] bool is_changed(const api::Call& call) const;

 private:
  std::vector<EffectPtr> effects_;
  bool is_plain_ = true;
};

}  // namespace tapedeck::replay
