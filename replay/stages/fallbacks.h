#pragma once
// The three operations of the spec's section 2, answered when nothing is recorded: always the same bytes, compact and
// sorted as devices write them, under any first label. All data are made up; addresses are of documentation ranges.

#include <string>
#include <vector>

#include "api/operation_spec.h"
#include "replay/chain/chain.h"
#include "replay/stages/device_knowledge.h"

namespace tapedeck::replay {

/// Answers one operation. Passes on what is another one, is incomplete, is recorded but cannot be played, and what the
/// device would refuse: an API that a recorded API.Info does not have, or a version.
class Fallback : public Responder {
 public:
  /// JSON text of the answer's `data`.
  using Data = std::string (*)(const api::Call& call);
  Fallback(const api::OperationSpec& spec, Data data, DeviceKnowledge& knowledge)
      : spec_(spec), data_(data), knowledge_(knowledge) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  const api::OperationSpec& spec_;
  Data data_;
  DeviceKnowledge& knowledge_;
};

/// One for each operation that is specified (api::operation_specs()).
[[nodiscard]] std::vector<Fallback> fallbacks(DeviceKnowledge& knowledge);

/// Core.Network get (docs/device-notes.md, "The specification"): all thirteen fields in every version.
[[nodiscard]] std::string network_data(const api::Call& call);
/// Core.AppPortal list (docs/device-notes.md, "The specification"): `additional.default_setting` only when `additional`
/// asks for it, in any spelling.
[[nodiscard]] std::string portal_data(const api::Call& call);
/// Core.SecurityScan.Status rule_get (docs/device-notes.md, "The specification"): `items` is ALL (or absent), or rule
/// ids separated by spaces or as a JSON array; unknown ids are left out.
[[nodiscard]] std::string rules_data(const api::Call& call);

/// The words of a parameter that may be bare text with spaces, `a,b`, or a JSON array of strings.
[[nodiscard]] std::vector<std::string> words_of(std::string_view value);

}  // namespace tapedeck::replay
