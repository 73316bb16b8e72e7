#pragma once

#include <string>
#include <string_view>

namespace tapedeck::cli {

/// Writes the file of --report.
class ReportFile {
 public:
  /// Removes the report of an earlier run, so that it cannot be mistaken for the report of this one. Throws
  /// std::runtime_error if the file cannot be written; this happens before the command runs, so that a wrong path does
  /// not waste a run. With an empty path, no report is written.
  explicit ReportFile(std::string path);
  [[nodiscard]] bool is_wanted() const { return !path_.empty(); }
  /// Returns true for JUnit XML, and false for JSON.
  [[nodiscard]] bool is_xml() const { return path_.ends_with(".xml"); }
  void write(std::string_view text) const;

 private:
  std::string path_;
};

}  // namespace tapedeck::cli
