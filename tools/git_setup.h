#pragma once
// Cassettes in a git repository (`tapedeck git-setup`): readable diffs, merges by content, and no secret on the way in.

#include <string>
#include <vector>

namespace tapedeck::tools {

struct GitSetupReport {
  std::string root;                ///< of the repository
  std::vector<std::string> done;   ///< a line for each thing that was changed; empty: all was there
  std::vector<std::string> to_do;  ///< what is left to the user, because it is theirs
};

/// In the repository that `folder` lies in. `program` is how this program is called from there. May be called again.
///  - `.gitattributes`: `*.cassette` with the diff and merge driver `tapedeck`; `.gitignore`: side files
///  - the repository's configuration: the two drivers
///  - a pre-commit hook that searches staged cassettes for secrets; one that is there already is left alone
/// Throws std::runtime_error with one line.
[[nodiscard]] GitSetupReport git_setup(const std::string& folder, const std::string& program);

}  // namespace tapedeck::tools
