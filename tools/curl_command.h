#pragma once
// Returns a recorded request as a shell command.

#include <string>

#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::tools {

/// Returns a `curl` command that sends this request to a replay server at $TAPEDECK_URL, as `exec` sets it, or
/// http://127.0.0.1:8080. The session's values are the variables $SID, $TOKEN, and $DEVICE_ID; other redacted places
/// stay placeholders, because any value matches there. A body that is not text is passed through base64. Throws
/// std::invalid_argument for a target that is not a path, which could change the host. No text of a recording becomes a
/// file name, a pattern, or a control character in the command.
[[nodiscard]] std::string curl_command(const scrubbers::InteractionRecord& record);

}  // namespace tapedeck::tools
