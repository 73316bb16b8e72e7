#pragma once
// Scrubs the journal of a recording again once all secrets are known.

#include <string>
#include <string_view>

#include "scrubbers/scrubber.h"

namespace tapedeck::cli {

/// Returns the lines of a journal, each of them scrubbed again. Removes all texts of client and device from a line in
/// which the leak scan still finds a learned value.
[[nodiscard]] std::string cleaned_journal(std::string_view lines, const scrubbers::Scrubber& scrubber);

}  // namespace tapedeck::cli
