#include "replay/overlays/spec_check.h"

#include "api/envelope.h"

namespace tapedeck::replay {

const api::OperationSpec* spec_of(const api::Call* call) {
  if (call == nullptr) return nullptr;
  for (const api::OperationSpec* const spec :
       {&api::network_get_spec(), &api::app_portal_list_spec(), &api::rule_get_spec()}) {
    if (call->is(spec->api, spec->method)) return spec;
  }
  return nullptr;
}

std::vector<std::string> spec_differences(const api::OperationSpec& spec, std::string_view body) {
  const auto verdict = api::verdict(body);
  return verdict && verdict->success ? spec.violations(body, false) : std::vector<std::string>{};
}

std::vector<std::string> spec_differences(const Overlay& overlay) {
  if (!overlay.call || overlay.call->is_wide() || !overlay.body) return {};
  const api::Call call("SYNO." + overlay.call->api(), "1", overlay.call->method(), {});
  const api::OperationSpec* const spec = spec_of(&call);
  return spec == nullptr ? std::vector<std::string>{} : spec_differences(*spec, overlay.body->sample());
}

}  // namespace tapedeck::replay
