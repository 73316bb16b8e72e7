// tapedeck git-setup: sets up a Git repository for cassettes.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/linux.h"
#include "base/shell_word.h"
#include "cli/app.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/reports/print_json.h"
#include "cli/terminal.h"
#include "tools/git_setup.h"

namespace tapedeck::cli {
namespace {

struct GitSetupOptions {
  std::string folder = ".";
  bool json = false;
};

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

int git_setup(const GitSetupOptions& options) {
  const tools::GitSetupReport report = tools::git_setup(options.folder, how_to_call());
  if (options.json) {
    const nlohmann::ordered_json out = {{"root", report.root}, {"done", report.done}, {"to_do", report.to_do}};
    print_json(out);
    return fine;
  }
  for (const std::string& line : report.done) std::cout << printable(line) << '\n';
  if (report.done.empty()) std::cout << "git is already set up; nothing was changed\n";
  for (const std::string& line : report.to_do) std::cout << "to do: " << printable(line) << '\n';
  return fine;
}

}  // namespace

void add_git_setup(Command& program) {
  auto options = std::make_shared<GitSetupOptions>();
  Command& command = program.command("git-setup", "Set up git to diff, merge, and check cassettes");
  command.argument("DIR", into(options->folder), "Folder in the repository").show_default(".");
  command.flag("--json", options->json, "Print JSON");
  command.examples = {{"Set up the current repository", "tapedeck git-setup"},
                      {"Set up another repository", "tapedeck git-setup ~/src/app"}};
  command.action = [options] { return git_setup(*options); };
}

}  // namespace tapedeck::cli
