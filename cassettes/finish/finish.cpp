#include "cassettes/finish/finish.h"

#include <algorithm>
#include <iterator>

#include "cassettes/file/cassette_error.h"
#include "cassettes/file/page_checksums.h"
#include "cassettes/finish/canonical.h"
#include "cassettes/finish/new_file.h"
#include "cassettes/finish/stored_material.h"
#include "cassettes/finish/verify.h"
#include "cassettes/write/writer_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr const char* stopped = "stopped; the recording is kept";
constexpr int most_of_a_name = 1000;

/// Marks all takes as unverified until the new values are known to be removed.
void mark_unverified(const std::string& path) {
  {
    SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX);
    database.exec("PRAGMA journal_mode=MEMORY; PRAGMA secure_delete=ON");
    database.exec("UPDATE take SET verified = 0");
  }
  seal_pages(open_file(path, true), path);
}

/// Renames the new file to `name`, or to the first unused one of name-2, name-3, …
std::string put_beside(NewFile& file, const std::string& name) {
  std::string free = name;
  for (int i = 2; !rename_to_free(file.path(), free); ++i) {
    if (i > most_of_a_name) {
      throw CassetteError(CassetteError::Kind::io, name + " and a thousand similar names already exist");
    }
    free = name + "-" + std::to_string(i);
  }
  file.renamed();
  sync_folder_of(free);
  return free;
}

void tell(const Leaks& leaks, const FinishOptions& options, FinishReport& report) {
  tell(leaks, report);
  if (!options.scan) return;
  std::set_difference(options.allow.begin(), options.allow.end(), leaks.matched.begin(), leaks.matched.end(),
                      std::back_inserter(report.unmatched));
}

/// A cassette and the recording beside it.
class Finish {
 public:
  /// `before` is the current content; `recording` may be null. The caller keeps both locked.
  Finish(std::string path, Material& before, bool is_there, RecordingFile* recording, bool is_own,
         const FinishOptions& options)
      : full_(full_path(path)),
        before_(before),
        is_there_(is_there),
        recording_(recording),
        is_own_(is_own),
        options_(options) {}

  void run(FinishReport& report) {
    NewFile file(full_);
    CanonicalOptions canonical = canonical_options();
    const Leaks leaks = write(before_, file, canonical, report);
    tell(leaks, options_, report);
    if (is_quarantined(leaks, report)) return quarantine(leaks, file, report);
    if (options_.unless_empty && report.interactions == count_before()) {
      report.is_unchanged = true;
    } else if (!options_.keep) {
      report.failed = full_ + ".failed";
      rename_over(file.path(), report.failed);
      file.renamed();
    } else if (is_there_) {
      rename_over(file.path(), full_);
      file.renamed();
    } else if (rename_to_free(file.path(), full_)) {
      file.renamed();
    } else {
      throw CassetteError(CassetteError::Kind::io, full_ + " was just created by another program");
    }
    sync_folder_of(full_);
    if (recording_) recording_->remove();
    report.finished = true;
  }

  /// Makes a separate cassette from the recording if the cassette cannot be written.
  void rescue(FinishReport& report) noexcept {
    report.left = recording_->path();
    try {
      NewFile file(full_);
      CanonicalOptions canonical = canonical_options();
      FinishReport own;
      Material nothing;
      const Leaks leaks = write(nothing, file, canonical, own);
      if (is_quarantined(leaks, own)) {
        quarantine(leaks, file, report);
      } else {
        report.left = put_beside(file, full_ + ".unmerged");
        recording_->remove();
      }
    } catch (...) {
      return;  // the recording stays unchanged
    }
  }

 private:
  [[nodiscard]] CanonicalOptions canonical_options() const {
    CanonicalOptions canonical;
    canonical.scrubber = options_.scrubber;
    canonical.is_own = is_own_;
    canonical.knows_values = options_.knows_values;
    canonical.allow = options_.allow;
    canonical.disallow = options_.disallow;
    canonical.rename_scopes = options_.rename_scopes;
    canonical.progress = limited(options_.progress);
    return canonical;
  }

  Leaks write(Material& material, NewFile& file, CanonicalOptions& canonical, FinishReport& report) {
    SQLite::Database* const recording = recording_ ? &recording_->database() : nullptr;
    const auto write = [&] { return canonicalize(material, recording, file.path(), canonical); };
    Leaks leaks;
    if (options_.scan) {
      leaks = write_checked(file.path(), canonical, write, report);
    } else {
      const CanonicalResult result = write();
      cassettes::tell(result, report);
      verify(file.path(), result.interactions, canonical.progress);
    }
    file.sync(canonical.progress, report);
    return leaks;
  }

  [[nodiscard]] bool is_quarantined(const Leaks& leaks, FinishReport& report) const {
    const bool is_found = leaks.learned > 0 || (options_.strict_scan && leaks.heuristic > 0);
    if (is_found) {
      report.failure = "secrets or suspects found by the leak scan: " + std::to_string(leaks.learned + leaks.heuristic);
    }
    return is_found;
  }

  /// Removes the cassette from its name. The recording contains the same value and more, so nothing that could be
  /// published may stay there.
  void quarantine(const Leaks& leaks, NewFile& file, FinishReport& report) {
    if (leaks.learned > 0) mark_unverified(file.path());
    report.quarantined = put_beside(file, full_ + ".quarantined");
    if (recording_) recording_->remove();
    remove_if_there(full_);
    sync_folder_of(full_);
  }

  [[nodiscard]] std::uint64_t count_before() {
    std::uint64_t count = 0;
    before_.each([&count](const MaterialItem&) { ++count; });
    return count;
  }

  const std::string full_;
  Material& before_;
  const bool is_there_;
  RecordingFile* recording_;
  const bool is_own_;
  const FinishOptions& options_;
};

/// A locked cassette, and the recording that a killed recorder may have left beside it.
struct Subject {
  explicit Subject(const std::string& path) : recording(RecordingFile::take_up(path)) {
    const std::string full = full_path(path);
    is_there = exists(full);
    if (is_there) lock.emplace(RecordingLock::take(full));
    // If neither exists, opening reports it.
    if (is_there || !recording) {
      before = open_material(path, open_cassette(path));
    } else {
      before = std::make_unique<Material>();
    }
    // The recorder was killed after the rename and before it ended.
    if (recording && has_take(*before, take_in(recording->database()).id)) {
      recording->remove();
      recording.reset();
    }
  }
  [[nodiscard]] FinishReport finish(const std::string& path, const FinishOptions& options) {
    return report_of(path, stopped, [&](FinishReport& report) {
      Finish(path, *before, is_there, recording ? &*recording : nullptr, false, options).run(report);
    });
  }
  [[nodiscard]] bool is_to_fail() { return recording && !is_kept_when_killed(recording->database()); }

  std::optional<RecordingFile> recording;
  bool is_there = false;
  std::optional<RecordingLock> lock;
  std::unique_ptr<Material> before;
};

std::unique_ptr<Subject> take_up(const std::string& path) {
  try {
    return std::make_unique<Subject>(path);
  } catch (...) {
    rethrow_for(path);
  }
}

}  // namespace

FinishReport finish(std::unique_ptr<CassetteWriter> writer, const FinishOptions& options) {
  FinishAccess::State& state = FinishAccess::of(*writer);
  state.stop();
  const bool is_there = state.lock.has_value();
  const auto finish_with = [&](Material& before) {
    return Finish(state.path, before, is_there, &*state.file, true, options);
  };
  FinishReport report = report_of(state.path, stopped, [&](FinishReport& told) {
    if (is_there) {
      finish_with(*open_material(state.path, open_cassette(state.path))).run(told);
    } else {
      Material nothing;
      finish_with(nothing).run(told);
    }
  });
  if (report.finished || !report.quarantined.empty()) return report;
  report.left = state.file->path();
  if (report.was_stopped) return report;
  try {
    Material nothing;
    finish_with(nothing).rescue(report);
  } catch (const CassetteError&) {
    // The folder of the cassette no longer exists, so the recording stays unchanged.
  }
  return report;
}

FinishReport finish(const std::string& path, const FinishOptions& options) {
  std::unique_ptr<Subject> subject = take_up(path);
  if (!subject->is_to_fail()) return subject->finish(path, options);
  FinishOptions aside = options;
  aside.keep = false;
  FinishReport report = subject->finish(path, aside);
  if (!report.finished || !subject->is_there) return report;
  subject.reset();
  const std::string failed = report.failed;
  report = take_up(path)->finish(path, options);
  report.failed = failed;
  return report;
}

std::optional<FinishReport> finish_leftover(const std::string& path) {
  const std::string recording = recording_of(full_path(path));
  if (!exists(recording)) return std::nullopt;
  if (recorder_of(recording) != Recorder::none) static_cast<void>(RecordingLock::take(recording));
  if (!exists(full_path(path)) && !RecordingFile::take_up(path)) return std::nullopt;
  const std::unique_ptr<Subject> subject = take_up(path);
  if (!subject->recording) return std::nullopt;
  FinishOptions options;
  options.keep = !subject->is_to_fail();
  FinishReport report = subject->finish(path, options);
  if (report.finished || !report.quarantined.empty()) return report;
  throw CassetteError(report.fault.value_or(CassetteError::Kind::io),
                      "cannot finish " + recording + ": " + report.failure);
}

}  // namespace tapedeck::cassettes
