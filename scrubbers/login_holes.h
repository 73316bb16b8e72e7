#pragma once
// Finds the secret of a client's login in its other requests, in the places in which a recording has a hole for it.

#include <string_view>
#include <vector>

#include "api/call.h"
#include "http/message/message.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::scrubbers {

/// Returns a hole with `login_label` for each place of `secret` in target and body where a recorder would replace it.
[[nodiscard]] std::vector<api::Hole> login_holes(const http::Request& request, std::string_view secret, bool is_call);

/// Returns true if the key of the record has such a hole.
[[nodiscard]] bool has_login_hole(const InteractionRecord& record);

}  // namespace tapedeck::scrubbers
