#pragma once
// Recognizes tickets by their flow: a response hands out a value, and a later request without a session carries it as
// its only permission (docs/secrets.md, "Tickets").

#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "http/message/message.h"

namespace tapedeck::scrubbers {

/// Returns the values in a JSON response that may be tickets: random texts under names such as `tid`, `ticket`, `key`,
/// and `link`, and random pieces of URLs there. Values under other names, such as task IDs, never are.
[[nodiscard]] std::vector<std::string> offered_tickets(std::string_view body);

/// Returns the values of a request that may be tickets: whole parameters, and segments of the path.
[[nodiscard]] std::vector<std::string> carried_tickets(const http::Request& request, const api::Call* call);

}  // namespace tapedeck::scrubbers
