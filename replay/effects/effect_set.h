#pragma once
// The effects that are in force, and which of them a call has to do with.

#include <string_view>
#include <vector>

#include "api/call.h"
#include "replay/effects/effect.h"

namespace tapedeck::replay {

struct RuleSubject;

/// Whether the responses of that API (first label left out) stay what they are, whatever effects say.
[[nodiscard]] bool is_never_changed(std::string_view api_rest);

/// Immutable; shared between threads.
class EffectSet {
 public:
  EffectSet() = default;
  EffectSet(std::vector<EffectPtr> declared, std::vector<EffectPtr> builtin);

  [[nodiscard]] bool empty() const { return declared_.empty() && builtin_.empty(); }
  [[nodiscard]] const std::vector<EffectPtr>& declared() const { return declared_; }
  [[nodiscard]] const std::vector<EffectPtr>& builtin() const { return builtin_; }
  /// No condition looks at parameters that no key has: texts of equal keys have to do with the same effects.
  [[nodiscard]] bool is_plain() const { return is_plain_; }

  /// The effects of that call, in their order. Declared ones replace built-in ones. `scope`: without the run.
  [[nodiscard]] std::vector<EffectPtr> following(const RuleSubject& subject, std::string_view scope) const;
  /// Whether any effect follows the call, in whatever scope.
  [[nodiscard]] bool has_effect(const api::Call& call) const;
  /// Whether any effect changes responses to the call.
  [[nodiscard]] bool is_changed(const api::Call& call) const;

 private:
  std::vector<EffectPtr> declared_, builtin_;
  bool is_plain_ = true;
};

}  // namespace tapedeck::replay
