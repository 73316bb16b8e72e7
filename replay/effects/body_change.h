#pragma once
// Applies changes of writes to a response body. All other bytes stay.

#include <functional>
#include <string>
#include <string_view>

#include "replay/effects/effect_state.h"

namespace tapedeck::replay {

/// Called with place and reason if a change leaves a place as it is.
using ChangeWarn = std::function<void(const std::string& path, const std::string& reason)>;

/// Returns the body after the change, which must be meant for the read `read`. Throws api::TooLong before it is longer
/// than `most`.
[[nodiscard]] std::string changed_body(std::string body, const PendingChange& change, const api::Call& read,
                                       std::size_t most, const ChangeWarn& warn);

}  // namespace tapedeck::replay
