#pragma once
// A recorded request as a command line for a shell.

#include <string>

#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::tools {

/// `curl` with which a replay server is asked this very thing. Its address is $TAPEDECK_URL, as `exec` sets it, or
/// http://127.0.0.1:8080. The session's own values are the variables $SID, $TOKEN and $DEVICE_ID; other redacted places
/// stay placeholders, for any value there fits. A body that is no text goes through base64. Throws
/// std::invalid_argument for a request that curl would take for another one: a target that is no path would change the
/// host. Nothing of a recording is a file's name, a pattern, or a control character in the command.
[[nodiscard]] std::string curl_command(const scrubbers::InteractionRecord& record);

}  // namespace tapedeck::tools
