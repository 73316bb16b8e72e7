#include "cli/running/finish_recording.h"

#include <iostream>

#include "cassettes/file/files.h"
#include "cli/log.h"
#include "cli/terminal.h"

namespace tapedeck::cli {

cassettes::FinishReport finish_recording(
    const FinishCassette& finish, scrubbers::Scrubber& scrubber, const RecordingExtras& extras,
    journal::Journal* journal, const scrubbers::PrivateProfile* profile,
    const std::function<bool(const char*, std::uint64_t, std::uint64_t)>& progress) {
  cassettes::FinishOptions options;
  options.scrubber = &scrubber;
  options.strict_scan = extras.strict_scan;
  options.progress = progress;
  cassettes::FinishReport report = finish(options);
  if (journal != nullptr) {
    clean_journal(
        [journal](const std::function<std::string(std::string_view)>& change) { journal->rewrite_file(change); },
        scrubber);
  }
  keep_given(extras.private_values, profile);
  return report;
}

void finish_leftover(const std::string& cassette) {
  const auto report = cassettes::finish_leftover(cassette);
  if (!report) return;
  if (!report->failed.empty()) {
    log::warn("an earlier run was killed; its recording is now in {}", printable(report->failed));
  } else if (!report->quarantined.empty()) {
    log::warn("an earlier run was killed; its recording is now in {}", printable(report->quarantined));
  } else {
    log::warn(
        "an earlier recorder was killed; its recording is now in {}, unverified: it may still contain secrets, which "
        "`tapedeck scrub --values FILE` removes",
        printable(cassette));
  }
}

void mention_side_files(const std::string& cassette) {
  std::vector<std::string> files;
  try {
    files = cassettes::side_files(cassettes::full_path(cassette));
  } catch (const cassettes::CassetteError&) {
    return;  // opening the cassette says it
  }
  for (const std::string& file : files) std::cerr << "tapedeck: note: " << printable(file) << " also exists\n";
}

}  // namespace tapedeck::cli
