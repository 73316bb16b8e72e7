#pragma once
// Writes JUnit XML, which CI systems display.

#include <cstddef>
#include <string>
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

}  // namespace tapedeck::cli
