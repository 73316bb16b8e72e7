#pragma once
// The end of a recording, and what an earlier recorder has left.

#include <functional>
#include <string>

#include "cassettes/finish/finish.h"
#include "cli/options/private_options.h"
#include "cli/running/journal_cleaning.h"
#include "journal/journal.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cli {

/// What belongs to a recording besides its cassette.
struct RecordingExtras {
  bool strict_scan = false;
  PrivateCommandOptions private_values;
};

using FinishCassette = std::function<cassettes::FinishReport(const cassettes::FinishOptions& options)>;
/// Finishes the cassette, then cleans the journal (may be null) and keeps the private key.
cassettes::FinishReport finish_recording(
    const FinishCassette& finish, scrubbers::Scrubber& scrubber, const RecordingExtras& extras,
    journal::Journal* journal, const scrubbers::PrivateProfile* profile,
    const std::function<bool(const char*, std::uint64_t, std::uint64_t)>& progress);

/// Finishes what a killed recorder has left beside the cassette, and logs it. Throws CassetteError.
void finish_leftover(const std::string& cassette);
/// Logs the files that earlier commands have left beside a cassette.
void mention_side_files(const std::string& cassette);

}  // namespace tapedeck::cli
