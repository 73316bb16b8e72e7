#pragma once
// Responds to the three operations of section 2 of the specification if they are not recorded. The responses always
// have the same bytes, compact and sorted as on devices, with any first label. All data is invented, and addresses are
// from documentation ranges.

#include <string>
#include <vector>

#include "api/operation_spec.h"
#include "replay/chain/chain.h"
#include "replay/stages/device_knowledge.h"

namespace tapedeck::replay {

/// Responds to one operation. Passes on other operations, incomplete calls, calls that are recorded but cannot be
/// replayed, and calls that the device would refuse because a recorded API.Info lacks the API or its version.
class Fallback : public Responder {
 public:
  /// Returns the JSON text of the response's `data`.
  using Data = std::string (*)(const api::Call& call);
  Fallback(const api::OperationSpec& spec, Data data, DeviceKnowledge& knowledge)
      : spec_(spec), data_(data), knowledge_(knowledge) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  const api::OperationSpec& spec_;
  Data data_;
  DeviceKnowledge& knowledge_;
};

/// Returns one stage for each specified operation (api::operation_specs()).
[[nodiscard]] std::vector<Fallback> fallbacks(DeviceKnowledge& knowledge);

}  // namespace tapedeck::replay
