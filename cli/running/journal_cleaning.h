#pragma once
// Scrubs the journal file of a recording again once all secrets are known.

#include <functional>
#include <string>
#include <string_view>

#include "scrubbers/scrubber.h"

namespace tapedeck::cli {

/// Calls `change` with each line of a journal file and stores the result (journal::Journal::rewrite_file).
using RewriteLines = std::function<void(const std::function<std::string(std::string_view line)>& change)>;

/// Scrubs each line again. Removes all texts of client and device from a line in which the leak scan still finds a
/// learned value.
void clean_journal(const RewriteLines& rewrite, const scrubbers::Scrubber& scrubber);

}  // namespace tapedeck::cli
