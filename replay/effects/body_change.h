#pragma once
// A response body with the changes of writes in it: every other byte stays as it was.

#include <functional>
#include <string>
#include <string_view>

#include "replay/effects/effect_state.h"

namespace tapedeck::replay {

/// Called with the place and the reason when a change leaves a place as it is.
using ChangeWarn = std::function<void(const std::string& path, const std::string& reason)>;

/// The body after that change, which is_for() the read `read`. Throws api::TooLong before it is longer than `most`.
[[nodiscard]] std::string changed_body(std::string body, const PendingChange& change, const api::Call& read,
                                       std::size_t most, const ChangeWarn& warn);

}  // namespace tapedeck::replay
