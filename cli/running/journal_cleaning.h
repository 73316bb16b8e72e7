#pragma once
// The journal of a recording, looked through once more when all that was learned is known.

#include "journal/journal.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cli {

/// Each line of this run in the journal's file is scrubbed again, and loses its key where the leak scan still finds a
/// learned value in it.
void clean_journal(journal::Journal& journal, const scrubbers::Scrubber& scrubber);

}  // namespace tapedeck::cli
