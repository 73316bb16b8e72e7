#pragma once
// Redacted places in the text that people review. Other than the marks of marks.h, these are for reading alone, and say
// nothing that depends on chance: how a value stood there is no part of them.

#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/redaction.h"

namespace tapedeck::tools {

/// `{{session.id}}`, `{{session.token}}` and `{{session.device_id}}` for the first of a session's own values, with
/// class and number for the others: `{{PASSWORD.0}}`, `{{SESSION_ID.0.session-2}}`. A pseudonym stands as it is.
/// `rows` are of this text, sorted, apart and inside it.
[[nodiscard]] std::string marked_for_review(std::string_view text, const std::vector<scrubbers::Redaction>& rows);

}  // namespace tapedeck::tools
