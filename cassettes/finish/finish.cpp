#include "cassettes/finish/finish.h"

#include <algorithm>
#include <iterator>

#include "cassettes/file/cassette_error.h"
#include "cassettes/finish/canonical.h"
#include "cassettes/finish/new_file.h"
#include "cassettes/finish/stored_material.h"
#include "cassettes/finish/verify.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/write/writer_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr const char* quarantine_suffix = ".quarantined";
constexpr int most_quarantined = 1000;

void replace_recorded(RecordingFile& file, NewFile& finished) {
  // A WAL that is left at this name would be applied to the new file.
  file.close();
  rename_over(finished.path(), file.full_path());
  finished.renamed();
  remove_if_there(file.full_path() + "-wal");
  remove_if_there(file.full_path() + "-shm");
  sync_folder_of(file.full_path());
}

/// Until somebody says what the values are, nobody can say again that they are gone.
void mark_unverified(const std::string& path) {
  SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX);
  database.exec("PRAGMA journal_mode=MEMORY; PRAGMA secure_delete=ON");
  database.exec("UPDATE take SET verified = 0");
}

/// What was recorded holds the same value and more; nothing that could be published stays at the cassette's name.
std::string quarantine(RecordingFile& file, NewFile& finished) {
  std::string name = file.full_path() + quarantine_suffix;
  for (int i = 2; !rename_to_free(finished.path(), name); ++i) {
    if (i > most_quarantined) {
      throw CassetteError(CassetteError::Kind::io, name + " and a thousand more are there already");
    }
    name = file.full_path() + quarantine_suffix + "-" + std::to_string(i);
  }
  finished.renamed();
  sync_folder_of(name);
  file.close();
  for (const char* suffix : {"", "-wal", "-shm"}) remove_if_there(file.full_path() + suffix);
  sync_folder_of(name);
  return name;
}

void tell(const Leaks& leaks, const FinishOptions& options, FinishReport& report) {
  tell(leaks, report);
  if (!options.scan) return;
  std::set_difference(options.allow.begin(), options.allow.end(), leaks.matched.begin(), leaks.matched.end(),
                      std::back_inserter(report.unmatched));
}

enum class Ended { by_recorder, by_keeper };

void run(RecordingFile& file, Ended ended, const FinishOptions& options, FinishReport& report) {
  CanonicalOptions canonical;
  canonical.scrubber = options.scrubber;
  canonical.own_take = file.take();
  canonical.was_killed = ended == Ended::by_keeper;
  canonical.knows_values = options.knows_values;
  canonical.allow = options.allow;
  canonical.disallow = options.disallow;
  canonical.rename_scope = options.rename_scope;
  canonical.progress = limited(options.progress);
  NewFile finished(file.full_path());
  const auto write = [&] { return canonicalise(file.database(), file.state(), finished.path(), canonical); };
  Leaks leaks;
  if (options.scan) {
    leaks = write_checked(finished.path(), canonical, write, report);
  } else {
    const CanonicalResult result = write();
    tell(result, report);
    verify(finished.path(), result.interactions, canonical.progress, [](const BodyPlace&, std::string_view) {});
  }
  tell(leaks, options, report);
  sync_file(open_file(finished.path(), true), finished.path());
  canonical.progress("renaming", 1, 1);
  if (leaks.learned > 0 || (options.strict_scan && leaks.heuristic > 0)) {
    if (leaks.learned > 0) mark_unverified(finished.path());
    report.quarantined = quarantine(file, finished);
    report.failure = "the leak scan found " + std::to_string(leaks.learned + leaks.heuristic) + " values";
    return;
  }
  replace_recorded(file, finished);
  report.finished = true;
}

FinishReport finish_file(RecordingFile& file, Ended ended, const FinishOptions& options) {
  return report_of(file.path(), "it was stopped; what was recorded is kept",
                   [&](FinishReport& report) { run(file, ended, options, report); });
}

}  // namespace

FinishReport finish(std::unique_ptr<CassetteWriter> writer, const FinishOptions& options) {
  FinishAccess::State& state = FinishAccess::of(*writer);
  state.stop();
  return finish_file(*state.file, Ended::by_recorder, options);
}

FinishReport finish(const std::string& path, const FinishOptions& options) {
  {
    // Ahead of the lock: what is held is read as a copy.
    const CassetteReader reader(path);
    if (reader.info().finished) check_content(reader);
  }
  RecordingFile file = RecordingFile::take_up(path);
  return finish_file(file, Ended::by_recorder, options);
}

std::optional<FinishReport> finish(DeadRecording recording, const FinishOptions& options) {
  std::optional<RecordingFile> file =
      RecordingFile::take_over(recording.path, std::move(recording.lock), recording.take);
  if (!file) return std::nullopt;
  return finish_file(*file, Ended::by_keeper, options);
}

}  // namespace tapedeck::cassettes
