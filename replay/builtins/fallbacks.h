#pragma once
// The three operations of the spec's section 2, answered when nothing is recorded: always the same bytes, compact and
// sorted as devices write them, under any first label. All data are made up; addresses are of documentation ranges.

#include <string>

#include "replay/builtins/device_knowledge.h"
#include "replay/chain.h"

namespace tapedeck::replay {

/// Passes on what is another operation, is incomplete, is recorded but cannot be played, and what the device would
/// refuse: an API that a recorded API.Info does not have, or a version.
class Fallback : public Responder {
 public:
  Fallback(std::string_view api_rest, std::string_view method, DeviceKnowledge& knowledge)
      : api_rest_(api_rest), method_(method), knowledge_(knowledge) {}
  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) final;

 protected:
  /// JSON text of `data`.
  [[nodiscard]] virtual std::string data(const api::Call& call) const = 0;

 private:
  std::string_view api_rest_, method_;
  DeviceKnowledge& knowledge_;
};

/// Core.Network get (spec §2.2): all thirteen fields in every version.
class NetworkFallback : public Fallback {
 public:
  explicit NetworkFallback(DeviceKnowledge& knowledge) : Fallback("Core.Network", "get", knowledge) {}

 private:
  [[nodiscard]] std::string data(const api::Call& call) const override;
};

/// Core.AppPortal list (spec §2.3): `additional.default_setting` only when `additional` asks for it, in any spelling.
class PortalFallback : public Fallback {
 public:
  explicit PortalFallback(DeviceKnowledge& knowledge) : Fallback("Core.AppPortal", "list", knowledge) {}

 private:
  [[nodiscard]] std::string data(const api::Call& call) const override;
};

/// Core.SecurityScan.Status rule_get (spec §2.1): `items` is ALL (or absent), or rule ids separated by spaces or as a
/// JSON array; unknown ids are left out.
class RulesFallback : public Fallback {
 public:
  explicit RulesFallback(DeviceKnowledge& knowledge) : Fallback("Core.SecurityScan.Status", "rule_get", knowledge) {}

 private:
  [[nodiscard]] std::string data(const api::Call& call) const override;
};

/// The words of a parameter that may be bare text with spaces, `a,b`, or a JSON array of strings.
[[nodiscard]] std::vector<std::string> words_of(std::string_view value);

}  // namespace tapedeck::replay
