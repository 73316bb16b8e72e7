#pragma once
// The text of the headers that tell requests apart, for stored requests.

#include <string>
#include <vector>

#include "api/identity_headers.h"
#include "scrubbers/redaction/redaction.h"

namespace tapedeck::scrubbers {

/// Returns a text that is equal for equal values of these headers (api::append_header); empty without any. `rows` are
/// the redactions of the request. A redacted place is a hole: `<SESSION_ID>` for a value of the request's own session,
/// and otherwise class, whose, owner, number, and shape, separated by `/`.
[[nodiscard]] std::string identity_text(const http::Headers& headers, const api::IdentityHeaders& names,
                                        const std::vector<Redaction>& rows);

}  // namespace tapedeck::scrubbers
