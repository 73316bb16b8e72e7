#pragma once
// Compares hand-written responses of the three specified operations with the specification.

#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/operation_spec.h"
#include "replay/overlays/overlay.h"

namespace tapedeck::replay {

/// Returns the specification of the call's operation. Returns null for other operations and if `call` is null.
[[nodiscard]] const api::OperationSpec* spec_of(const api::Call* call);
/// Returns one line for each field that is missing, has another type, or breaks its rule. Ignores differences that real
/// devices also have, and responses that are not a success.
[[nodiscard]] std::vector<std::string> spec_differences(const api::OperationSpec& spec, std::string_view body);

/// Returns the same for an overlay whose body responds to one of the three operations. Returns nothing for others.
[[nodiscard]] std::vector<std::string> spec_differences(const Overlay& overlay);

}  // namespace tapedeck::replay
