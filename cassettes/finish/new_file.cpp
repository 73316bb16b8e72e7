#include "cassettes/finish/new_file.h"

#include <unistd.h>

#include "cassettes/file/cassette_error.h"
#include "cassettes/file/files.h"
#include "cassettes/finish/verify.h"

namespace tapedeck::cassettes {

namespace {

constexpr const char* finishing_suffix = ".finishing";
constexpr std::uint64_t bytes_between_calls = 1u << 20;

}  // namespace

Progress limited(const decltype(FinishOptions::progress)& call) {
  if (!call) return [](const char*, std::uint64_t, std::uint64_t) {};
  struct Last {
    const char* step = nullptr;
    std::uint64_t done = 0;
  };
  return [last = Last(), call](const char* step, std::uint64_t done, std::uint64_t total) mutable {
    if (last.step == step && done < last.done + bytes_between_calls && done >= last.done && done < total) return;
    last = {step, done};
    if (!call(step, done, total)) throw Stopped();
  };
}

NewFile::NewFile(const std::string& cassette) : path_(cassette + finishing_suffix) { remove_if_there(path_); }

NewFile::~NewFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

void NewFile::sync(const Progress& progress, FinishReport& report) const {
  const Descriptor written = open_file(path_, true);
  report.bytes = written.size();
  sync_file(written, path_);
  progress("renaming", 1, 1);
}

void tell(const CanonicalResult& result, FinishReport& report) {
  report.interactions = result.interactions;
  report.unverified = result.unverified;
  report.scrubbed_late = result.scrubbed_late;
  report.scrubbed_again = result.scrubbed_again;
  report.conflicts = result.conflicts;
}

void tell(const Leaks& leaks, FinishReport& report) {
  report.findings = leaks.findings;
  report.learned_values_found = leaks.learned;
  report.suspects = leaks.heuristic;
  report.allowed = leaks.allowed;
}

namespace {

Leaks check(const std::string& path, const CanonicalResult& result, const scrubbers::Scrubber* scrubber,
            const Progress& progress) {
  LeakCheck search(path, scrubber, result.allowed);
  verify(path, result.interactions, progress);
  return search.end(progress);
}

}  // namespace

Leaks write_checked(const std::string& path, CanonicalOptions& canonical, const std::function<CanonicalResult()>& write,
                    FinishReport& report) {
  constexpr int most_rounds = 8;
  for (int round = 0;; ++round) {
    const CanonicalResult result = write();
    tell(result, report);
    Leaks leaks = check(path, result, canonical.scrubber, canonical.progress);
    const auto withheld = [&] {
      return canonical.withhold.size() + canonical.withhold_requests.size() + canonical.withhold_texts.size();
    };
    const std::size_t before = withheld();
    canonical.withhold.merge(leaks.interactions);
    canonical.withhold_requests.merge(leaks.requests);
    canonical.withhold_texts.merge(leaks.texts);
    if (withheld() == before || round == most_rounds) {
      if (!leaks.incomplete.empty()) {
        throw CassetteError(CassetteError::Kind::io,
                            "the leak scan could not search the whole cassette: " + leaks.incomplete);
      }
      for (const auto& [id, why] : canonical.withhold) report.withheld.push_back(id + ": " + why);
      for (const auto& [table, row] : canonical.withhold_texts) {
        report.withheld.push_back(table + " " + std::to_string(row) +
                                  ": the leak scan found a learned value in its text");
      }
      return leaks;
    }
    remove_if_there(path);
  }
}

FinishReport report_of(const std::string& path, const char* stopped, const std::function<void(FinishReport&)>& work) {
  FinishReport report;
  try {
    try {
      work(report);
    } catch (...) {
      rethrow_for(path);
    }
  } catch (const Stopped&) {
    report.failure = stopped;
    report.was_stopped = true;
  } catch (const CassetteError& error) {
    report.failure = error.what();
    report.fault = error.kind();
  } catch (const std::exception& error) {
    report.failure = path + ": " + error.what();
  }
  return report;
}

}  // namespace tapedeck::cassettes
