#pragma once
// Finishes a recording (docs/recording.md, "How a recording ends"): scrubs again what was committed before a value was
// learned, computes lanes, sequences, and IDs, writes the new cassette beside the old one, verifies it, scans it, and
// renames it. Until the rename, the old cassette and the recording stay as they were, whatever fails.

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
  /// Scrubs everything again with what was learned. Takes of other killed runs stay unverified, unless `knows_values`
  /// says that the scrubber was given their values.
  scrubbers::Scrubber* scrubber = nullptr;
  bool knows_values = false;
  /// Search the new file for every learned value (scan/); a find withholds the interaction or quarantines the file.
  bool scan = true;
  bool strict_scan = false;  ///< heuristic findings that the cassette does not allow also count
  /// Fingerprints of heuristic findings that the cassette allows from now on, or no longer. Learned values cannot be
  /// allowed.
  std::set<std::string, std::less<>> allow, disallow;
  /// New names of scopes, by stored name. No take may have two scopes with the same name afterwards.
  std::map<std::string, std::string> rename_scopes;
  /// False: the result becomes CASSETTE.failed and replaces an earlier one; the cassette stays as it is.
  bool keep = true;
  /// Leaves the cassette unchanged if nothing of the recording is kept (FinishReport::is_unchanged).
  bool unless_empty = false;
  /// Called from time to time on the calling thread with the step and the bytes done and in total. Returning false
  /// stops before the rename; the recording stays as it is.
  std::function<bool(const char* step, std::uint64_t done, std::uint64_t total)> progress;
};

struct FinishReport {
  bool finished = false;      ///< the cassette is complete, and nothing is left to finish
  bool is_unchanged = false;  ///< FinishOptions::unless_empty
  bool was_stopped = false;   ///< `progress` returned false
  std::uint64_t interactions = 0;
  std::uint64_t bytes = 0;                    ///< the size of the file
  std::uint64_t unverified = 0;               ///< takes that were killed, whose learned values are unknown
  std::uint64_t scrubbed_late = 0;            ///< interactions that changed when scrubbed again
  std::vector<ScrubbedAgain> scrubbed_again;  ///< the changes, up to most_scrubbed_again, as `ls` lists them
  std::vector<Conflict> conflicts;            ///< of the whole cassette, sorted by key
  std::uint64_t learned_values_found = 0;     ///< learned values found by the scan; the file is then at `quarantined`
  std::uint64_t suspects = 0;                 ///< heuristic findings of the scan, without the allowed ones
  std::uint64_t allowed = 0;                  ///< heuristic findings that the cassette allows
  std::vector<std::string> withheld;  ///< interactions without bodies after the leak scan: ID and reason, one line each
  std::string quarantined;
  std::string failed;  ///< the path of the result if FinishOptions::keep was false
  /// If the cassette could not be written: the path of the new take as a scrubbed cassette, or else of the recording,
  /// which the next command tries to finish.
  std::string left;
  std::vector<std::string> findings;         ///< one line each: rule, place, interaction, and fingerprint, but no value
  std::vector<std::string> unmatched;        ///< fingerprints of FinishOptions::allow that no finding has
  std::string failure;                       ///< why it is not finished, in one line
  std::optional<CassetteError::Kind> fault;  ///< the kind of the failure, if it is about the cassette or the system
};

/// Finishes the recording of a writer, which cannot be used afterwards.
[[nodiscard]] FinishReport finish(std::unique_ptr<CassetteWriter> writer, const FinishOptions& options);
/// Finishes what a killed recorder left beside the cassette (finish_leftover), and scrubs all of it. Throws
/// CassetteError, also if an interaction is damaged, because writing it again would hide that.
[[nodiscard]] FinishReport finish(const std::string& path, const FinishOptions& options);
/// Finishes what a killed recorder left beside the cassette, or makes CASSETTE.failed of it (WriteOptions). The take
/// stays unverified, because what was learned late is lost. Returns nothing if there is nothing to finish. Throws
/// CassetteError, in_use if the recorder is alive.
[[nodiscard]] std::optional<FinishReport> finish_leftover(const std::string& path);

}  // namespace tapedeck::cassettes
