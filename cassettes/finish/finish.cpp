#include "cassettes/finish/finish.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "cassettes/file/cassette_error.h"
#include "cassettes/finish/canonical.h"
#include "cassettes/finish/leak_check.h"
#include "cassettes/finish/verify.h"
#include "cassettes/write/writer_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr const char* finishing_suffix = ".finishing";
constexpr const char* quarantine_suffix = ".quarantined";
constexpr int most_quarantined = 1000;
constexpr std::uint64_t bytes_between_calls = 1u << 20;

/// The caller of finish() said to stop.
struct Stopped {};

/// Passes on about one call a megabyte, and every change of step.
Progress limited(const FinishOptions& options) {
  if (!options.progress) return [](const char*, std::uint64_t, std::uint64_t) {};
  struct Last {
    const char* step = nullptr;
    std::uint64_t done = 0;
  };
  return [last = Last(), call = options.progress](const char* step, std::uint64_t done, std::uint64_t total) mutable {
    if (last.step == step && done < last.done + bytes_between_calls && done >= last.done && done < total) return;
    last = {step, done};
    if (!call(step, done, total)) throw Stopped();
  };
}

/// The new file, which goes again unless it was renamed.
class NewFile {
 public:
  explicit NewFile(std::string path) : path_(std::move(path)) { remove_if_there(path_); }
  ~NewFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  void renamed() { path_.clear(); }

 private:
  std::string path_;
};

void replace_recorded(RecordingFile& file, NewFile& finished) {
  // A WAL that is left at this name would be applied to the new file.
  file.close();
  rename_over(finished.path(), file.full_path());
  finished.renamed();
  remove_if_there(file.full_path() + "-wal");
  remove_if_there(file.full_path() + "-shm");
  sync_folder_of(file.full_path());
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

/// Verifies and searches at the same time.
Leaks check(const std::string& path, const CanonicalResult& result, const FinishOptions& options,
            const Progress& progress) {
  if (!options.scan) {
    verify(path, result.interactions, progress, [](const BodyPlace&, std::string_view) {});
    return {};
  }
  LeakCheck search(path, options.scrubber, result.allowed);
  verify(path, result.interactions, progress,
         [&](const BodyPlace& place, std::string_view body) { search.see(place, body); });
  return search.end(progress);
}

void tell(const CanonicalResult& result, FinishReport& report) {
  report.interactions = result.interactions;
  report.scrubbed_late = result.scrubbed_late;
  report.scrubbed_again = result.scrubbed_again;
}

void tell(const Leaks& leaks, const FinishOptions& options, FinishReport& report) {
  report.findings = leaks.findings;
  report.learned_values_found = leaks.learned;
  report.suspects = leaks.heuristic;
  report.allowed = leaks.allowed;
  if (!options.scan) return;
  std::set_difference(options.allow.begin(), options.allow.end(), leaks.matched.begin(), leaks.matched.end(),
                      std::back_inserter(report.unmatched));
}

/// Writes and searches the file. What is found in an interaction, or cannot be searched there, takes its contents and
/// nothing else; then all is written and searched once more.
Leaks write_checked(RecordingFile& file, const std::string& path, const FinishOptions& options,
                    CanonicalOptions& canonical, FinishReport& report) {
  constexpr int most_rounds = 8;
  for (int round = 0;; ++round) {
    const CanonicalResult result = canonicalise(file.database(), file.state(), path, canonical);
    tell(result, report);
    Leaks leaks = check(path, result, options, canonical.progress);
    const std::size_t before = canonical.withhold.size();
    canonical.withhold.merge(leaks.interactions);
    if (canonical.withhold.size() == before || round == most_rounds) {
      if (!leaks.incomplete.empty()) {
        throw CassetteError(CassetteError::Kind::io, "the leak scan could not search all of it: " + leaks.incomplete);
      }
      for (const auto& [id, why] : canonical.withhold) report.withheld.push_back(id + ": " + why);
      return leaks;
    }
    remove_if_there(path);
  }
}

void run(RecordingFile& file, const FinishOptions& options, FinishReport& report) {
  CanonicalOptions canonical;
  canonical.scrubber = options.scrubber;
  canonical.own_take = file.take();
  canonical.allow = options.allow;
  canonical.disallow = options.disallow;
  canonical.rename_scope = options.rename_scope;
  canonical.progress = limited(options);
  NewFile finished(file.full_path() + finishing_suffix);
  const Leaks leaks = write_checked(file, finished.path(), options, canonical, report);
  tell(leaks, options, report);
  sync_file(open_file(finished.path(), true), finished.path());
  canonical.progress("renaming", 1, 1);
  if (leaks.learned > 0 || (options.strict_scan && leaks.heuristic > 0)) {
    report.quarantined = quarantine(file, finished);
    report.failure = "the leak scan found " + std::to_string(leaks.learned + leaks.heuristic) + " values";
    return;
  }
  replace_recorded(file, finished);
  report.finished = true;
}

FinishReport finish_file(RecordingFile& file, const FinishOptions& options) {
  FinishReport report;
  try {
    try {
      run(file, options, report);
    } catch (...) {
      rethrow_for(file.path());
    }
  } catch (const Stopped&) {
    report.failure = "it was stopped; what was recorded is kept";
  } catch (const CassetteError& error) {
    report.failure = error.what();
  } catch (const std::exception& error) {
    report.failure = file.path() + ": " + error.what();
  }
  return report;
}

}  // namespace

FinishReport finish(std::unique_ptr<CassetteWriter> writer, const FinishOptions& options) {
  FinishAccess::State& state = FinishAccess::of(*writer);
  state.stop();
  return finish_file(state.file, options);
}

FinishReport finish(const std::string& path, const FinishOptions& options) {
  RecordingFile file = RecordingFile::take_up(path);
  return finish_file(file, options);
}

}  // namespace tapedeck::cassettes
