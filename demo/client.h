#pragma once
// The client of `tapedeck demo`: makes the described calls of a session, one after the other.

#include <string>
#include <string_view>
#include <vector>

#include "demo/described_device.h"

namespace tapedeck::demo {

struct Answered {
  std::string call;
  std::string body;  ///< the session's own values, and tokens of one answer alone, are replaced by "…"
};

/// Logs in, makes the walk's calls, logs out: what was answered, in order. `base` is "http://127.0.0.1:40123"; each
/// request has a connection of its own. Throws std::runtime_error with one clear line.
[[nodiscard]] std::vector<Answered> walk_through(const Walk& walk, std::string_view base);

}  // namespace tapedeck::demo
