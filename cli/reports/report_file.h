#pragma once

#include <string>
#include <string_view>

namespace tapedeck::cli {

/// The file of --report.
class ReportFile {
 public:
  /// Removes the report of an earlier run, so that it is not taken for one of this run. Throws std::runtime_error when
  /// the file cannot be written: before the command runs, so that no run is lost to a wrong path. An empty path is for
  /// no report.
  explicit ReportFile(std::string path);
  [[nodiscard]] bool is_wanted() const { return !path_.empty(); }
  /// JUnit XML; otherwise JSON.
  [[nodiscard]] bool is_xml() const { return path_.ends_with(".xml"); }
  void write(std::string_view text) const;

 private:
  std::string path_;
};

}  // namespace tapedeck::cli
