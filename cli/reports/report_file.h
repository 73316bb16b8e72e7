#pragma once
// Writes reports, as JUnit XML, which CI systems display, or as JSON.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::cli {

/// A test suite of a JUnit file.
struct Suite {
  std::string name;
  std::size_t cases = 0, failures = 0;
  std::string body;    ///< the test cases as XML
  std::string output;  ///< one line; empty without output

  /// Adds a test case. An empty `failure` means that it passed.
  void add(const std::string& group, const std::string& title, const std::string& failure);
};

/// Returns a JUnit XML document.
[[nodiscard]] std::string junit_document(const std::vector<Suite>& suites);

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
