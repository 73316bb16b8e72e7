#pragma once
// The one pipeline that ends a recording (design §1, semantics §6, §7): scrub again what was committed before a value
// was learned, compute lanes, sequences and ids, write the new cassette beside the old one, verify it, scan it, sync,
// rename, sync the folder. Until the rename the old cassette and the recording stay as they were, whatever fails.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cassettes/file/cassette_error.h"
#include "cassettes/file/files.h"
#include "cassettes/finish/request_secrets.h"
#include "cassettes/finish/scrubbed_again.h"
#include "cassettes/write/cassette_writer.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cassettes {

struct FinishOptions {
  /// Scrubs again with all that was learned. Takes of other runs that were killed stay marked unverified, for what they
  /// had learned nobody knows, unless `knows_values`: the scrubber was told.
  scrubbers::Scrubber* scrubber = nullptr;
  bool knows_values = false;
  /// Look for every learned value in the new file (scan/); a find quarantines it.
  bool scan = true;
  bool strict_scan = false;  ///< heuristic findings count as well, but for those that the cassette allows
  /// Fingerprints of heuristic findings that were reviewed: the cassette keeps them and allows them from now on, or no
  /// longer. A learned value cannot be allowed.
  std::set<std::string, std::less<>> allow, disallow;
  /// Scopes' stored names and the ones that they get. No take may have two scopes of one name then.
  std::map<std::string, std::string> rename_scopes;
  /// False: the result becomes CASSETTE.failed, in the place of an earlier one, and the cassette stays as it is.
  bool keep = true;
  /// Leaves the cassette unchanged if nothing of the recording is kept (FinishReport::is_unchanged).
  bool unless_empty = false;
  /// Called now and then from the calling thread: step, bytes done, bytes in all. Returning false stops the pipeline
  /// before the rename; what was recorded stays as it is.
  std::function<bool(const char* step, std::uint64_t done, std::uint64_t total)> progress;
};

struct FinishReport {
  bool finished = false;      ///< the cassette is whole, and nothing is left to be finished
  bool is_unchanged = false;  ///< FinishOptions::unless_empty
  bool was_stopped = false;   ///< by `progress`
  std::uint64_t interactions = 0;
  std::uint64_t bytes = 0;                    ///< of the file
  std::uint64_t unverified = 0;               ///< takes that were killed, and what they had learned is not known
  std::uint64_t scrubbed_late = 0;            ///< interactions that changed when scrubbed again
  std::vector<ScrubbedAgain> scrubbed_again;  ///< what was changed in them; the first most_scrubbed_again, as `ls` does
  std::vector<Conflict> conflicts;            ///< of the whole cassette, by key
  std::uint64_t learned_values_found = 0;     ///< by the scan; then `quarantined` is where the file went
  std::uint64_t suspects = 0;                 ///< heuristic findings of the scan, without the allowed ones
  std::uint64_t allowed = 0;                  ///< heuristic findings that the cassette allows
  std::vector<std::string>
      withheld;  ///< interactions that lost their bodies to the leak scan: id and why, one line each
  std::string quarantined;
  std::string failed;  ///< FinishOptions::keep was false: where the result is
  /// The cassette could not be written: where the new take is, scrubbed, as a cassette of its own; or, if that could not
  /// be written either, the recording as it was, which the next command tries to finish.
  std::string left;
  std::vector<std::string> findings;         ///< one line each: rule, place, interaction, fingerprint; never a value
  std::vector<std::string> unmatched;        ///< of FinishOptions::allow: what no finding has
  std::string failure;                       ///< why it is not finished, one line
  std::optional<CassetteError::Kind> fault;  ///< of the failure, where it is one of the cassette or the system
};

/// Ends the writer's recording. The writer is used up.
[[nodiscard]] FinishReport finish(std::unique_ptr<CassetteWriter> writer, const FinishOptions& options);
/// Finishes what a killed recorder has left beside the cassette (finish_leftover), and scrubs all of it. Throws
/// CassetteError, also when an interaction is not what was recorded: written anew, it would look whole.
[[nodiscard]] FinishReport finish(const std::string& path, const FinishOptions& options);
/// Finishes what a killed recorder has left beside the cassette, or makes CASSETTE.failed of it where that was asked for
/// (WriteOptions). Its take stays unverified, because what was learned late is gone with the process. Nothing when there
/// is nothing to finish. Throws CassetteError, in_use when the recorder is alive.
[[nodiscard]] std::optional<FinishReport> finish_leftover(const std::string& path);

}  // namespace tapedeck::cassettes
