#pragma once
// Sets up a git repository for cassettes (`tapedeck git-setup`): readable diffs, merges by content, and a check for
// secrets.

#include <string>
#include <vector>

namespace tapedeck::tools {

struct GitSetupReport {
  std::string root;                ///< the root of the repository
  std::vector<std::string> done;   ///< one line for each change; empty: nothing was missing
  std::vector<std::string> to_do;  ///< what the user has to do, because Tapedeck does not change the user's files
};

/// In the repository that `folder` lies in. `program` is how this program is called from there. May be called again.
///  - `.gitattributes`: `*.cassette` with the diff and merge driver `tapedeck`; `.gitignore`: side files
///  - the repository's configuration: the two drivers
///  - a pre-commit hook that searches staged cassettes for secrets; one that is there already is left alone
/// Throws std::runtime_error with one line.
[[nodiscard]] GitSetupReport git_setup(const std::string& folder, const std::string& program);

}  // namespace tapedeck::tools
