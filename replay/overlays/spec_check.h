#pragma once
// Compares hand-written responses of the three specified operations with the specification.

#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/operation_spec.h"
#include "replay/overlays/overlay.h"

namespace tapedeck::replay {

/// Returns null for another operation, and without a call.
[[nodiscard]] const api::OperationSpec* spec_of(const api::Call* call);
/// Returns one line for each field that is missing, has another type, or breaks its rule, except as real devices do;
/// none for a response that is not a success.
[[nodiscard]] std::vector<std::string> spec_differences(const api::OperationSpec& spec, std::string_view body);

/// Returns the differences of an overlay that responds to one of the three operations, and none for other overlays.
[[nodiscard]] std::vector<std::string> spec_differences(const Overlay& overlay);

}  // namespace tapedeck::replay
