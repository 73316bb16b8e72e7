#pragma once
// The results of a test runner, as JUnit XML says them: which tests there were, and which failed.

#include <map>
#include <string>
#include <string_view>

namespace tapedeck::cli {

/// Whether each test failed, by "CLASS.NAME". Skipped tests have not failed. Of several tests of one name, one that
/// failed is enough.
using TestResults = std::map<std::string, bool>;

/// Reads what is there and leaves out the rest: runners differ in what they write.
[[nodiscard]] TestResults junit_results(std::string_view xml);

/// `{run}` in a path becomes the number of the run.
[[nodiscard]] std::string path_of_run(std::string path, unsigned run);

}  // namespace tapedeck::cli
