#pragma once
// Says which elements of a response a write changes, so that a recorded write replaces only earlier changes of the same
// elements.

#include "replay/effects/effect_state.h"

namespace tapedeck::replay {

/// Returns true if both changes, of the responses to one read, concern the same element: the same member of a list, by
/// the values with which it is inserted or found, or the same response, by `where`.
[[nodiscard]] bool change_same_element(const PendingChange& a, const PendingChange& b);

}  // namespace tapedeck::replay
