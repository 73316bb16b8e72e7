#pragma once
// Hand-written answers of the three specified operations, compared with the specification.

#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/operation_spec.h"
#include "replay/overlays/overlay.h"

namespace tapedeck::replay {

/// Null for another operation, and for no call.
[[nodiscard]] const api::OperationSpec* spec_of(const api::Call* call);
/// One line for each field that is missing, of another type or against its rule, what real devices do aside; none for
/// an answer that is no success.
[[nodiscard]] std::vector<std::string> spec_differences(const api::OperationSpec& spec, std::string_view body);

/// The same of an overlay that answers one of the three; none of another.
[[nodiscard]] std::vector<std::string> spec_differences(const Overlay& overlay);

}  // namespace tapedeck::replay
