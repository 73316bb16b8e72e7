#pragma once
// Applies changes of writes to a response body. All other bytes stay unchanged.

#include <functional>
#include <string>
#include <string_view>

#include "replay/effects/effect_state.h"

namespace tapedeck::replay {

/// Called with the location and the reason if a change cannot be applied there.
using ChangeWarn = std::function<void(const std::string& path, const std::string& reason)>;

/// Returns the body of a response to `read` after the change. Requires change.is_for(read). Throws api::TooLong instead
/// of creating a result longer than `most`.
[[nodiscard]] std::string changed_body(std::string body, const PendingChange& change, const api::Call& read,
                                       std::size_t most, const ChangeWarn& warn);

}  // namespace tapedeck::replay
