#pragma once
// Writes the new file that replaces a cassette.

#include <functional>
#include <string>

#include "cassettes/finish/canonical.h"

namespace tapedeck::cassettes {

/// The file `<cassette>.finishing`. Removes a file that a killed run left. The destructor removes its own file unless
/// it was renamed.
class NewFile {
 public:
  explicit NewFile(const std::string& cassette);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Writes the material and the recording, which may be null, and syncs the file. Verifies it, and scans it in
  /// parallel (FinishOptions::scan). If an interaction has a finding or cannot be searched, its content is left out,
  /// and everything is written and scanned once more. Throws CassetteError, also if the file cannot be searched to the
  /// end, and Stopped.
  void write(Material& material, SQLite::Database* recording, CanonicalOptions options, FinishReport& report);
  /// Renames the file and replaces an existing one. Throws CassetteError.
  void replace(const std::string& path);
  /// Renames the file. Returns false if the name is in use. Throws CassetteError.
  [[nodiscard]] bool rename(const std::string& path);

 private:
  std::string path_;
};

/// Returns the report of `work`, or its exception as a failure: `stopped` if the caller requested to stop, otherwise a
/// line that names the path.
[[nodiscard]] FinishReport report_of(const std::string& path, const char* stopped,
                                     const std::function<void(FinishReport&)>& work);

}  // namespace tapedeck::cassettes
