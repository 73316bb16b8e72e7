#pragma once
// Writes the new file that replaces a cassette.

#include <functional>
#include <string>

#include "cassettes/finish/canonical.h"
#include "cassettes/finish/finish.h"
#include "cassettes/finish/leak_check.h"

namespace tapedeck::cassettes {

/// Thrown if the caller requests to stop.
struct Stopped {};

/// Limits calls to about one per megabyte and one per step. The result throws Stopped.
[[nodiscard]] Progress limited(const decltype(FinishOptions::progress)& call);

/// The file `<cassette>.finishing`. Removes a file that a killed run left. The destructor removes its own file unless
/// it was renamed.
class NewFile {
 public:
  explicit NewFile(const std::string& cassette);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Syncs the file and stores its size in the report.
  void sync(const Progress& progress, FinishReport& report) const;
  void renamed() { path_.clear(); }

 private:
  std::string path_;
};

/// Writes the file, and verifies and scans it in parallel. If an interaction has a finding or cannot be searched, its
/// content is left out (`canonical.withhold`), and everything is written and scanned once more. Throws CassetteError if
/// the file cannot be searched to the end.
[[nodiscard]] Leaks write_checked(const std::string& path, CanonicalOptions& canonical,
                                  const std::function<CanonicalResult()>& write, FinishReport& report);

void tell(const CanonicalResult& result, FinishReport& report);
void tell(const Leaks& leaks, FinishReport& report);

/// Returns what `work` returns, or its exception as a failure: `stopped` for Stopped, otherwise a line that names the
/// path.
[[nodiscard]] FinishReport report_of(const std::string& path, const char* stopped,
                                     const std::function<void(FinishReport&)>& work);

}  // namespace tapedeck::cassettes
