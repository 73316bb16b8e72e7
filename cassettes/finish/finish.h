#pragma once
// Finishes a recording (docs/recording.md, "How a recording ends"): scrubs again the interactions that were committed
// before a value was learned, computes lanes, sequences, and IDs, writes the new cassette beside the old one, verifies
// it, scans it, and renames it.
//
// Invariant 4: nothing changes before the rename, and the next command that writes finishes the recording of a killed
// run. Tested by tests/cassettes/finish_test.cpp.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cassettes/file/cassette_error.h"
#include "cassettes/file/format.h"
#include "cassettes/write/cassette_writer.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cassettes {

/// How a cassette is written from a Material (rewrite.h).
struct RewriteOptions {
  /// A rewrite scrubs the edited interactions with it, and everything if it learns a value from them; required if
  /// anything was edited. finish() scrubs everything again with the learned values.
  scrubbers::Scrubber* scrubber = nullptr;
  /// Called from time to time on the calling thread with the step, the processed bytes, and the total. If it returns
  /// false, writing stops before the rename, and nothing has changed.
  std::function<bool(const char* step, std::uint64_t done, std::uint64_t total)> progress;
};

struct FinishOptions : RewriteOptions {
  /// Takes of other killed runs stay unverified, unless this is true because the scrubber was given their values.
  bool knows_values = false;
  /// Searches the new file for every learned value (scan/). If one is found, the interaction is withheld or the file is
  /// quarantined.
  bool scan = true;
  bool strict_scan = false;  ///< heuristic findings that the cassette does not allow also count
  /// Fingerprints of heuristic findings that the cassette allows from now on, or no longer allows. Learned values
  /// cannot be allowed.
  Fingerprints allow, disallow;
  /// New names of scopes, by stored name. Two scopes of a take must not have the same name afterwards.
  std::map<std::string, std::string> rename_scopes;
  /// If false, the result becomes CASSETTE.failed and replaces an earlier one, and the cassette stays unchanged.
  bool keep = true;
  /// Leaves the cassette unchanged if no part of the recording is kept (FinishReport::is_unchanged).
  bool unless_empty = false;
};

/// The new redactions of one part by one rule.
struct Added {
  scrubbers::Part part = scrubbers::Part::response_body;
  std::string rule;
  std::uint64_t count = 0;
  bool operator==(const Added&) const = default;
};

/// The changes when a stored interaction is scrubbed again, without values.
struct ScrubbedAgain {
  std::string id;            ///< 16 hex digits, as in `ls` of the new file
  std::string key;           ///< scrubbed
  std::string withheld;      ///< the reason if it is withheld now
  std::vector<Added> added;  ///< sorted by part and rule
};

/// The maximum number of listed interactions. Further ones are counted.
inline constexpr std::size_t most_scrubbed_again = 100;

/// Counts new redactions by part and rule, because their offsets move when something before them is replaced.
[[nodiscard]] std::vector<Added> added_redactions(const std::vector<scrubbers::Redaction>& before,
                                                  const std::vector<scrubbers::Redaction>& after);

/// A key with recordings that replay cannot distinguish: reads that differ only in secrets without an identity, but
/// have different responses.
struct Conflict {
  std::string scope;  ///< the stored name
  std::string key;
  std::uint32_t take = 0;
  std::uint32_t requests = 0;  ///< number of different requests; 0 if unknown
  bool operator==(const Conflict&) const = default;
};

struct FinishReport {
  bool finished = false;      ///< the cassette is complete, and nothing is left to finish
  bool is_unchanged = false;  ///< see FinishOptions::unless_empty
  bool was_stopped = false;   ///< `progress` returned false
  std::uint64_t interactions = 0;
  std::uint64_t bytes = 0;                    ///< the size of the file
  std::uint64_t unverified = 0;               ///< takes that were killed, whose learned values are unknown
  std::uint64_t scrubbed_late = 0;            ///< interactions that changed when scrubbed again
  std::vector<ScrubbedAgain> scrubbed_again;  ///< the changes, up to most_scrubbed_again, as `ls` lists them
  std::vector<Conflict> conflicts;            ///< conflicts of the whole cassette, sorted by key
  std::uint64_t learned_values_found = 0;     ///< learned values found by the scan; the file is then at `quarantined`
  std::uint64_t suspects = 0;                 ///< heuristic findings of the scan, without the allowed ones
  std::uint64_t allowed = 0;                  ///< heuristic findings that the cassette allows
  std::vector<std::string> withheld;  ///< interactions without bodies after the leak scan: ID and reason, one line each
  std::string quarantined;
  std::string failed;  ///< the path of the result if FinishOptions::keep was false
  /// Set if the cassette could not be written. The path of the new take as a scrubbed cassette, or else of the
  /// recording, which the next command tries to finish.
  std::string left;
  std::vector<std::string> findings;         ///< one line each: rule, place, interaction, and fingerprint, but no value
  std::vector<std::string> unmatched;        ///< fingerprints of FinishOptions::allow that no finding has
  std::string failure;                       ///< why it is not finished, in one line
  std::optional<CassetteError::Kind> fault;  ///< the kind of the failure, if it is about the cassette or the system
};

/// Finishes the recording of a writer, which must not be used afterwards.
[[nodiscard]] FinishReport finish(std::unique_ptr<CassetteWriter> writer, const FinishOptions& options);
/// Finishes the recording that a killed recorder left beside the cassette (finish_leftover), and scrubs the whole
/// cassette. Throws CassetteError, also for a damaged interaction, because rewriting it would hide the damage.
[[nodiscard]] FinishReport finish(const std::string& path, const FinishOptions& options);
/// Finishes the recording that a killed recorder left beside the cassette, or renames it to CASSETTE.failed
/// (WriteOptions). The take stays unverified, because the values that were learned last are lost. Returns nothing if
/// there is nothing to finish. Throws CassetteError, with in_use if the recorder is still running.
[[nodiscard]] std::optional<FinishReport> finish_leftover(const std::string& path);

}  // namespace tapedeck::cassettes
