#pragma once
// Creates the journal entry for a request that the gate refused (http/server/gate.h).

#include <string>
#include <string_view>

#include "http/message/message.h"
#include "journal/journal.h"

namespace tapedeck::journal {

/// Returns a name that a client sent, shortened and with \xHH in place of unsafe characters.
[[nodiscard]] std::string readable_name(std::string_view text);

/// Returns an entry with the outcome `refused`. A refused request is not trusted, so the entry contains only the call
/// or the path, without parameters and body. `reason` names the option that would allow the request.
[[nodiscard]] JournalEntry refused_entry(const http::Request& request, std::string_view reason);

}  // namespace tapedeck::journal
