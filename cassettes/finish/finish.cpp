#include "cassettes/finish/finish.h"

#include <utility>

#include "cassettes/file/cassette_error.h"
#include "cassettes/file/page_checksums.h"
#include "cassettes/finish/new_file.h"
#include "cassettes/write/writer_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr const char* stopped_finishing = "stopped; the recording is kept";
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
  for (int i = 2; !file.rename(free); ++i) {
    if (i > most_of_a_name) {
      throw CassetteError(CassetteError::Kind::io, name + " and a thousand similar names already exist");
    }
    free = name + "-" + std::to_string(i);
  }
  return free;
}

/// A locked cassette, if there is one, and the recording beside it, if there is one.
class Finish {
 public:
  /// Takes over the recording of a writer, which has ended.
  explicit Finish(FinishAccess::State& writer)
      : path_(writer.path), is_there_(writer.lock.has_value()), has_ended_(true), recording_(std::move(writer.file)) {
    if (writer.lock) lock_.emplace(std::move(*writer.lock));
  }

  /// Takes up the recording that a killed recorder may have left. Throws CassetteError.
  explicit Finish(const std::string& path) try : path_(path), recording_(RecordingFile::take_up(path)) {
    const std::string full = full_path(path);
    is_there_ = exists(full);
    if (is_there_) lock_.emplace(RecordingLock::take(full));
    open_before();
    if (!recording_) return;
    if (!has_take(*before_, take_in(recording_->database()).id)) return;
    // The recorder was killed after the rename and before it ended.
    recording_->remove();
    recording_.reset();
  } catch (...) {
    rethrow_for(path);
  }

  ~Finish() {
    if (recording_ && has_ended_) recording_->remove_if_empty();
  }
  Finish(const Finish&) = delete;
  Finish& operator=(const Finish&) = delete;

  [[nodiscard]] bool is_there() const { return is_there_; }
  [[nodiscard]] bool has_recording() const { return recording_.has_value(); }
  /// Returns true for a recording that becomes CASSETTE.failed (WriteOptions::kept_when_killed).
  [[nodiscard]] bool is_to_fail() { return recording_ && !is_kept_when_killed(recording_->database()); }

  [[nodiscard]] FinishReport run(const FinishOptions& options) {
    return report_of(path_, stopped_finishing, [&](FinishReport& report) { write(options, report); });
  }

  /// Makes a separate cassette from the recording because the cassette cannot be written.
  void rescue(const FinishOptions& options, FinishReport& report) noexcept {
    report.left = recording_->path();
    if (report.was_stopped) return;
    try {
      const std::string full = full_path(path_);
      NewFile file(full);
      FinishReport own;
      Material nothing;
      file.write(nothing, &recording_->database(), canonical_options(options), own);
      if (is_quarantined(options, own)) {
        quarantine(file, full, own);
        report.quarantined = own.quarantined;
      } else {
        report.left = put_beside(file, full + ".unmerged");
        recording_->remove();
      }
    } catch (...) {
      return;  // the recording stays unchanged
    }
  }

 private:
  void open_before() {
    // If there is neither a cassette nor a recording, opening reports it.
    before_ = is_there_ || !recording_ ? open_material(path_, open_cassette(path_)) : std::make_unique<Material>();
  }

  [[nodiscard]] CanonicalOptions canonical_options(const FinishOptions& options) const {
    CanonicalOptions canonical;
    canonical.why = has_ended_ ? Why::ended : options.scrubber ? Why::rescrub : Why::killed;
    canonical.finish = options;
    return canonical;
  }

  void write(const FinishOptions& options, FinishReport& report) {
    if (!before_) open_before();
    const std::string full = full_path(path_);
    NewFile file(full);
    file.write(*before_, recording_ ? &recording_->database() : nullptr, canonical_options(options), report);
    if (is_quarantined(options, report)) return quarantine(file, full, report);
    if (options.unless_empty && report.interactions == count_before()) {
      report.is_unchanged = true;
    } else if (!options.keep) {
      report.failed = full + ".failed";
      file.replace(report.failed);
    } else if (is_there_) {
      file.replace(full);
    } else if (!file.rename(full)) {
      throw CassetteError(CassetteError::Kind::io, full + " was just created by another program");
    }
    if (recording_) recording_->remove();
    report.finished = true;
  }

  [[nodiscard]] static bool is_quarantined(const FinishOptions& options, FinishReport& report) {
    const bool is_found = report.learned_values_found > 0 || (options.strict_scan && report.suspects > 0);
    if (is_found) {
      report.failure = "secrets or suspects found by the leak scan: " +
                       std::to_string(report.learned_values_found + report.suspects);
    }
    return is_found;
  }

  /// Removes the cassette from its name. The recording contains the same value and more, so nothing that could be
  /// published may stay there.
  void quarantine(NewFile& file, const std::string& full, FinishReport& report) {
    if (report.learned_values_found > 0) mark_unverified(file.path());
    report.quarantined = put_beside(file, full + ".quarantined");
    if (recording_) recording_->remove();
    remove_if_there(full);
    sync_folder_of(full);
  }

  [[nodiscard]] std::uint64_t count_before() {
    std::uint64_t count = 0;
    before_->each([&count](const MaterialItem&) { ++count; });
    return count;
  }

  const std::string path_;
  bool is_there_ = false, has_ended_ = false;
  std::optional<RecordingLock> lock_;
  std::optional<RecordingFile> recording_;
  std::unique_ptr<Material> before_;  ///< the content of the cassette
};

}  // namespace

std::vector<Added> added_redactions(const std::vector<scrubbers::Redaction>& before,
                                    const std::vector<scrubbers::Redaction>& after) {
  std::map<std::pair<scrubbers::Part, std::string>, std::int64_t> counts;
  for (const scrubbers::Redaction& redaction : after) ++counts[{redaction.part, redaction.rule}];
  for (const scrubbers::Redaction& redaction : before) --counts[{redaction.part, redaction.rule}];
  std::vector<Added> added;
  for (const auto& [what, count] : counts) {
    if (count > 0) added.push_back({what.first, what.second, static_cast<std::uint64_t>(count)});
  }
  return added;
}

FinishReport finish(std::unique_ptr<CassetteWriter> writer, const FinishOptions& options) {
  FinishAccess::State& state = FinishAccess::of(*writer);
  state.stop();
  Finish finish(state);
  FinishReport report = finish.run(options);
  if (!report.finished && report.quarantined.empty()) finish.rescue(options, report);
  return report;
}

FinishReport finish(const std::string& path, const FinishOptions& options) {
  std::optional<Finish> found(std::in_place, path);
  if (!found->is_to_fail()) return found->run(options);
  FinishOptions aside = options;
  aside.keep = false;
  FinishReport report = found->run(aside);
  if (!report.finished || !found->is_there()) return report;
  found.emplace(path);
  const std::string failed = report.failed;
  report = found->run(options);
  report.failed = failed;
  return report;
}

std::optional<FinishReport> finish_leftover(const std::string& path) {
  const std::string recording = recording_of(full_path(path));
  if (!exists(recording)) {
    remove_stale_lock(recording);
    return std::nullopt;
  }
  refuse_locked(recording);
  if (!exists(full_path(path)) && !RecordingFile::take_up(path)) return std::nullopt;
  Finish found(path);
  if (!found.has_recording()) return std::nullopt;
  FinishOptions options;
  options.keep = !found.is_to_fail();
  FinishReport report = found.run(options);
  if (report.finished || !report.quarantined.empty()) return report;
  throw CassetteError(report.fault.value_or(CassetteError::Kind::io),
                      "cannot finish " + recording + ": " + report.failure);
}

}  // namespace tapedeck::cassettes
