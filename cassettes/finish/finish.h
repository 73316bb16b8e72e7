#pragma once
// The one pipeline that ends a recording (design §1, semantics §6, §7): scrub again what was committed before a value
// was learned, compute lanes, sequences and ids, write the canonical file beside the old one, verify it, scan it, sync,
// rename, sync the folder. Until the rename the recorded file stays as it was, whatever fails.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cassettes/file/cassette_error.h"
#include "cassettes/file/files.h"
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
  /// A scope's stored name and the one that it gets. No take may have both.
  std::pair<std::string, std::string> rename_scope{};
  /// Called now and then from the calling thread: step, bytes done, bytes in all. Returning false stops the pipeline
  /// before the rename; what was recorded stays as it is.
  std::function<bool(const char* step, std::uint64_t done, std::uint64_t total)> progress;
};

struct FinishReport {
  bool finished = false;  ///< the file at the path is the canonical one, without side files
  std::uint64_t interactions = 0;
  std::uint64_t unverified = 0;               ///< takes that were killed, and what they had learned is not known
  std::uint64_t scrubbed_late = 0;            ///< interactions that changed when scrubbed again
  std::vector<ScrubbedAgain> scrubbed_again;  ///< what was changed in them; the first most_scrubbed_again, as `ls` does
  std::uint64_t learned_values_found = 0;     ///< by the scan; then `quarantined` is where the file went
  std::uint64_t suspects = 0;                 ///< heuristic findings of the scan, without the allowed ones
  std::uint64_t allowed = 0;                  ///< heuristic findings that the cassette allows
  std::vector<std::string>
      withheld;  ///< interactions that lost their bodies to the leak scan: id and why, one line each
  std::string quarantined;
  std::vector<std::string> findings;         ///< one line each: rule, place, interaction, fingerprint; never a value
  std::vector<std::string> unmatched;        ///< of FinishOptions::allow: what no finding has
  std::string failure;                       ///< why it is not finished, one line
  std::optional<CassetteError::Kind> fault;  ///< of the failure, where it is one of the cassette or the system
};

/// A recording whose recorder has died: what CassetteWriter::handover() said.
struct DeadRecording {
  std::string path;
  Descriptor lock;
  std::uint32_t take = 0;
};

/// Ends the writer's recording. The writer is used up.
[[nodiscard]] FinishReport finish(std::unique_ptr<CassetteWriter> writer, const FinishOptions& options);
/// Takes up a cassette that was left unfinished (or scrubs and packs a finished one again). Throws CassetteError, for a
/// finished one also when an interaction is not what was recorded: written anew, it would look whole.
[[nodiscard]] FinishReport finish(const std::string& path, const FinishOptions& options);
/// Ends a dead recorder's recording, with a scrubber that knows what its own one knew: its take is verified. A scope
/// that it was in is not whole. Nothing when the recorder had finished. Throws CassetteError.
[[nodiscard]] std::optional<FinishReport> finish(DeadRecording recording, const FinishOptions& options);

}  // namespace tapedeck::cassettes
