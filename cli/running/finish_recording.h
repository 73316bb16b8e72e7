#pragma once
// The end of a recording, whoever brings it about: the recorder, or its keeper when the recorder has died.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cassettes/finish/finish.h"
#include "cassettes/write/cassette_writer.h"
#include "cassettes/write/staged_cassette.h"
#include "cli/options/control_options.h"
#include "cli/options/private_options.h"
#include "cli/running/journal_cleaning.h"
#include "cli/running/keeper.h"
#include "journal/journal.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cli {

/// What belongs to a recording beside its cassette.
struct RecordingExtras {
  bool strict_scan = false;
  PrivateCommandOptions private_values;
};

/// What is made of a cassette that was completed beside the one that was there.
enum class Settled {
  left,      ///< it could not be finished, and stays where it is
  nothing,   ///< nothing of what was recorded is kept: the cassette is as it was
  accepted,  ///< it has taken the cassette's place
  failed,    ///< it is CASSETTE.failed now
};
/// `before`: interactions that the cassette had. `keep`: it is to take the cassette's place. Throws CassetteError.
[[nodiscard]] Settled settle(cassettes::StagedCassette& staged, const cassettes::FinishReport& report,
                             std::uint64_t before, bool keep);

/// What a keeper does with a completed cassette.
struct StagedEnd {
  std::string cassette;
  std::uint64_t before = 0;  ///< as in settle()
  bool keep = true;
};

/// What a keeper must know beforehand; the rest is handed over or told.
struct KeptRecording {
  scrubbers::ScrubberOptions scrubbing;
  RecordingExtras extras;
  std::optional<StagedEnd> staged;  ///< nothing: the cassette itself is recorded into
};

using FinishCassette = std::function<cassettes::FinishReport(const cassettes::FinishOptions& options)>;
/// Finishes the cassette, then cleans the journal (`rewrite` may be empty) and keeps the private key.
cassettes::FinishReport finish_recording(
    const FinishCassette& finish, scrubbers::Scrubber& scrubber, const RecordingExtras& extras,
    const RewriteLines& rewrite, const scrubbers::PrivateProfile* profile,
    const std::function<bool(const char*, std::uint64_t, std::uint64_t)>& progress);

/// For Keeper's constructor.
[[nodiscard]] std::function<void(Inheritance)> finish_kept(KeptRecording recording);
/// From here on the keeper can finish it. `staged` is null where the cassette itself is recorded into.
void hand_over(Keeper& keeper, const cassettes::CassetteWriter& writer, const cassettes::StagedCassette* staged,
               const journal::Journal* journal);
/// The journal's lines, if there is one.
[[nodiscard]] RewriteLines lines_of(journal::Journal* journal);
/// What is said when there is no keeper any more.
inline constexpr const char* without_keeper =
    "the keeper has gone: should this process be killed now, the recording stays unverified";
/// A ready file's values, with the number of the keeper's process, if there is one.
[[nodiscard]] ReadyValues with_keeper(ReadyValues values, const Keeper& keeper);
/// The scrubber's options with the keeper as the witness of what is learned.
[[nodiscard]] scrubbers::ScrubberOptions witnessed_by(Keeper& keeper, scrubbers::ScrubberOptions options);

}  // namespace tapedeck::cli
