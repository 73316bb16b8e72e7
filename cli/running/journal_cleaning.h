#pragma once
// The journal of a recording, looked through once more when all that was learned is known.

#include <functional>
#include <string>
#include <string_view>

#include "scrubbers/scrubber.h"

namespace tapedeck::cli {

/// Changes each line of a run (journal::Journal::rewrite_file).
using RewriteLines = std::function<void(const std::function<std::string(std::string_view line)>& change)>;

/// Each line is scrubbed again, and loses all texts of client and device where the leak scan still finds a learned
/// value in it.
void clean_journal(const RewriteLines& rewrite, const scrubbers::Scrubber& scrubber);

}  // namespace tapedeck::cli
