#pragma once
// Two answers to one call compared: status, headers, envelope, body.

#include <vector>

#include "tools/diff/change.h"
#include "tools/diff/compared_answer.h"

namespace tapedeck::tools {

/// Where the envelopes say different things (success, an error code), that is all that is said of the bodies.
[[nodiscard]] std::vector<Change> answer_changes(const ComparedAnswer& a, const ComparedAnswer& b);

}  // namespace tapedeck::tools
