#pragma once
// The journal's entry for a request that the gate refused (http/server/gate.h).

#include <string>
#include <string_view>

#include "http/message/message.h"
#include "journal/journal.h"

namespace tapedeck::journal {

/// Returns a name that a client sent, shortened, and with \xHH for what must not be printed.
[[nodiscard]] std::string readable_name(std::string_view text);

/// Returns an entry with the outcome `refused`. A request that was refused is not trusted, so the entry has only the
/// call or the path: none of its parameters and nothing of its body. `reason` names the option that would allow it.
[[nodiscard]] JournalEntry refused_entry(const http::Request& request, std::string_view reason);

}  // namespace tapedeck::journal
