// tapedeck git-setup: sets up a Git repository for cassettes.

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "base/shell_word.h"
#include "base/system.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/running/spawn.h"

namespace tapedeck::cli {
namespace {

/// Sets up the repository that contains the folder $1. $2 is the command that runs this program there. Prints a line
/// for each change, and leaves an existing hook to the user. Running it again changes nothing.
constexpr const char* script = R"sh(
root=$(git -C "$1" rev-parse --show-toplevel 2>/dev/null) || { echo "tapedeck: $1 is not in a git repository" >&2; exit 1; }
cd "$root" && hooks=$(git rev-parse --git-path hooks) && mkdir -p "$hooks" || exit 1
changed=
report() { echo "$1"; changed=1; }
add() {
  file=$1 added=; shift
  for line; do
    grep -qxF -e "$line" "$file" 2>/dev/null && continue
    [ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] || echo >>"$file"
    printf '%s\n' "$line" >>"$file" || exit 1
    added=1
  done
  [ -z "$added" ] || report "$file: added lines for *.cassette"
}
configure() {
  [ "$(git config --local --get "$1")" = "$2" ] && return
  git config --local "$1" "$2" || exit 1
  report "git config $1"
}
add .gitattributes '*.cassette diff=tapedeck merge=tapedeck -text'
# Files that Tapedeck and SQLite create beside a cassette.
add .gitignore '*.cassette-*' '*.cassette.finishing*' '*.cassette.new-*' '*.cassette.failed*' '*.cassette.quarantined*' \
  '*.cassette.recording*' '*.cassette.unmerged*'
configure diff.tapedeck.textconv "$2 export --as text"
configure diff.tapedeck.cachetextconv true
configure merge.tapedeck.name 'cassettes by what was recorded'
# Git replaces % and the letter after it, also in the program's path.
configure merge.tapedeck.driver "$(printf '%s' "$2" | sed 's/%/%%/g') merge --base %O %A %B -o %A --as ours --as theirs --as %P"
# The staged cassettes may differ from those in the folder.
scan='#!/bin/sh
# Searches the cassettes of a commit for secrets; made by `tapedeck git-setup`.
staged=$(mktemp -d) || exit 1
trap '\''rm -rf "$staged"'\'' EXIT
git diff --cached --name-only --diff-filter=ACMR -z -- '\''*.cassette'\'' |
  git checkout-index -z --stdin --prefix="$staged/" || exit 1
[ -n "$(ls -A "$staged")" ] || exit 0
'"$2"' scan "$staged"'
ours=$hooks/tapedeck-pre-commit hook=$hooks/pre-commit call='"$(dirname "$0")/tapedeck-pre-commit" || exit 1'
if [ "$(cat "$ours" 2>/dev/null)" != "$scan" ]; then
  printf '%s\n' "$scan" >"$ours" || exit 1
  report "$ours"
fi
chmod +x "$ours"
if [ ! -e "$hook" ]; then
  printf '#!/bin/sh\n%s\n' "$call" >"$hook" && chmod +x "$hook" || exit 1
  report "$hook"
elif ! grep -q tapedeck-pre-commit "$hook"; then
  report "to do: $hook already exists; add this line to it: $call"
fi
[ -n "$changed" ] || echo 'git is already set up; nothing was changed'
)sh";

/// Returns the program's name if the shell finds this program by it, and otherwise its path.
std::string how_to_call() {
  std::error_code ignored;
  const std::filesystem::path self = std::filesystem::canonical(base::own_program(), ignored);
  std::string folders = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::filesystem::path found = std::filesystem::path(folders.substr(begin, end - begin)) / "tapedeck";
    if (std::filesystem::exists(found, ignored)) {
      if (std::filesystem::equivalent(found, self, ignored)) return "tapedeck";
      break;
    }
    begin = end + 1;
  }
  return base::shell_quoted(self.string());
}

int git_setup(const std::string& folder) {
  pid_t child = 0;
  const int failure = start_program({{"/bin/sh", "-c", script, "sh", folder, how_to_call()}}, child);
  if (failure != 0) throw std::system_error(failure, std::generic_category(), "cannot run /bin/sh");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return exit_status_of(status);
}

}  // namespace

void add_git_setup(Command& program) {
  auto [command, folder] = program.command("git-setup", "Set up git to diff, merge, and check cassettes", git_setup);
  folder = ".";
  command.argument("DIR", into(folder), "Folder in the repository").show_default(".");
  command.examples = {{"Set up the current repository", "tapedeck git-setup"},
                      {"Set up another repository", "tapedeck git-setup ~/src/app"}};
}

}  // namespace tapedeck::cli
