#pragma once
// Reads the results of a test runner from JUnit XML.

#include <map>
#include <string>
#include <string_view>

namespace tapedeck::cli {

/// Maps "CLASS.NAME" to whether the test failed. Skipped tests count as passed. If several tests have the same name,
/// one failure is enough.
using TestResults = std::map<std::string, bool>;

/// Returns the results in `xml`. Skips unknown elements, because runners write different dialects.
[[nodiscard]] TestResults junit_results(std::string_view xml);

/// Replaces `{run}` in a path by the number of the run.
[[nodiscard]] std::string path_of_run(std::string path, unsigned run);

}  // namespace tapedeck::cli
