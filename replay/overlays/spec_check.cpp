#include "replay/overlays/spec_check.h"

#include "api/envelope.h"

namespace tapedeck::replay {

const api::OperationSpec* spec_of(const api::Call* call) {
  return call == nullptr ? nullptr : api::operation_spec(call->name().rest, call->method());
}

std::vector<std::string> spec_differences(const api::OperationSpec& spec, std::string_view body) {
  const auto verdict = api::verdict(body);
  return verdict && verdict->success ? spec.violations(body, false) : std::vector<std::string>{};
}

std::vector<std::string> spec_differences(const Overlay& overlay) {
  if (!overlay.call || overlay.call->is_wide() || !overlay.body) return {};
  const api::OperationSpec* const spec = api::operation_spec(overlay.call->api(), overlay.call->method());
  return spec == nullptr ? std::vector<std::string>{} : spec_differences(*spec, overlay.body->sample());
}

}  // namespace tapedeck::replay
