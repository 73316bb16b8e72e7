#pragma once
// Sets up a git repository for cassettes (`tapedeck git-setup`): readable diffs, merges by content, and a check for
// secrets.

#include <string>
#include <vector>

namespace tapedeck::tools {

struct GitSetupReport {
  std::string root;                ///< the root of the repository
  std::vector<std::string> done;   ///< one line for each change; empty if nothing was missing
  std::vector<std::string> to_do;  ///< remaining steps for the user, because Tapedeck does not change the user's files
};

/// Sets up the repository that contains `folder`. `program` is the command that runs this program there. Calling it
/// again changes nothing. It changes
///  - `.gitattributes`: `*.cassette` gets the diff and merge driver `tapedeck`; `.gitignore`: side files
///  - the repository's configuration: the two drivers
///  - the pre-commit hook, which searches staged cassettes for secrets, unless there is a hook
/// Throws std::runtime_error with one line.
[[nodiscard]] GitSetupReport git_setup(const std::string& folder, const std::string& program);

}  // namespace tapedeck::tools
