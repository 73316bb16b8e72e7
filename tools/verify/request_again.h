#pragma once
// A recorded request as another session would send it.

#include <string>

#include "http/message/message.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::tools {

/// What a session is known by.
struct SessionValues {
  std::string id, csrf_token, device_id;
};

/// False where something else was redacted in the request than the session's own id, CSRF token and device id: what
/// stood there is not known any more.
[[nodiscard]] bool can_be_asked_again(const scrubbers::InteractionRecord& record);

/// With these values where the recorded session's own ones stood, encoded as they were, and without the lines Origin
/// and Referer, which named another recorder. Only for a record that can be asked again.
[[nodiscard]] http::Request request_again(const scrubbers::InteractionRecord& record, const SessionValues& values);

}  // namespace tapedeck::tools
