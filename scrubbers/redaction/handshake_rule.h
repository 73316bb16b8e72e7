#pragma once

#include <string_view>

namespace tapedeck::scrubbers {

/// The rule that finds message 2 of a login's handshake in the response (docs/device-notes.md, "The handshake of the web
/// login").
inline constexpr std::string_view handshake_rule = "json-ik-message";

}  // namespace tapedeck::scrubbers
