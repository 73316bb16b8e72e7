// tapedeck git-setup: sets up a Git repository for cassettes.

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/linux.h"
#include "base/output_file.h"
#include "base/shell_word.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"

namespace tapedeck::cli {
namespace {

struct GitSetupOptions {
  std::string folder = ".";
  bool json = false;
};

struct GitSetupReport {
  std::string root;                ///< the root of the repository
  std::vector<std::string> done;   ///< one line for each change; empty if nothing was missing
  std::vector<std::string> to_do;  ///< remaining steps for the user, because Tapedeck does not change the user's files
};

constexpr std::array<const char*, 1> attribute_lines = {"*.cassette diff=tapedeck merge=tapedeck -text"};
/// Files that Tapedeck and SQLite create beside a cassette.
constexpr std::array<const char*, 7> ignore_lines = {
    "*.cassette-*",        "*.cassette.finishing*",   "*.cassette.new-*",
    "*.cassette.failed*",  "*.cassette.quarantined*", "*.cassette.recording*",
    "*.cassette.unmerged*"};
constexpr const char* hook_name = "tapedeck-pre-commit";

struct GitResult {
  int status = -1;
  std::string out;  ///< without the last line end
};

GitResult git(const std::string& folder, const std::vector<std::string>& arguments) {
  std::string command = "git -C " + base::shell_quoted(folder);
  for (const std::string& argument : arguments) command += " " + base::shell_quoted(argument);
  command += " 2>/dev/null";
  GitResult result;
  FILE* const pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) return result;
  result.out = base::read_all(fileno(pipe)).value_or("");
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (result.out.ends_with('\n')) result.out.pop_back();
  return result;
}

/// Writes a file. Keeps the mode of an existing one.
void write_file(const std::filesystem::path& path, const std::string& text) {
  using std::filesystem::perms;
  const bool is_there = std::filesystem::exists(path);
  const auto mode = is_there ? std::filesystem::status(path).permissions()
                             : perms::owner_read | perms::owner_write | perms::group_read | perms::others_read;
  base::OutputFile out(path.string());
  out.stream() << text;
  out.commit();
  std::filesystem::permissions(path, mode);
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text + "\n").find("\n" + line + "\n") != std::string::npos;
}

template <class Lines>
void add_lines(const std::filesystem::path& path, const Lines& lines, GitSetupReport& report) {
  std::string text = base::read_file(path).value_or("");
  bool changed = false;
  for (const char* line : lines) {
    if (has_line(text, line)) continue;
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text.append(line).append("\n");
    changed = true;
  }
  if (!changed) return;
  write_file(path, text);
  report.done.push_back(path.filename().string() + ": added lines for *.cassette");
}

void configure(const std::string& root, const std::string& name, const std::string& value, GitSetupReport& report) {
  if (git(root, {"config", "--local", "--get", name}).out == value) return;
  if (git(root, {"config", "--local", name, value}).status != 0) {
    throw std::runtime_error("git config " + name + " failed");
  }
  report.done.push_back("git config " + name);
}

/// Returns a hook that scans the staged cassettes, which may differ from those in the folder.
std::string scan_of_staged(const std::string& program) {
  return "#!/bin/sh\n"
         "# Searches the cassettes of a commit for secrets; made by `tapedeck git-setup`.\n"
         "staged=$(mktemp -d) || exit 1\n"
         "trap 'rm -rf \"$staged\"' EXIT\n"
         "git diff --cached --name-only --diff-filter=ACMR -z -- '*.cassette' |\n"
         "  git checkout-index -z --stdin --prefix=\"$staged/\" || exit 1\n"
         "[ -n \"$(ls -A \"$staged\")\" ] || exit 0\n" +
         program + " scan \"$staged\"\n";
}

void make_executable(const std::filesystem::path& path) {
  using std::filesystem::perms;
  std::filesystem::permissions(path, perms::owner_exec | perms::group_exec | perms::others_exec,
                               std::filesystem::perm_options::add);
}

void add_hook(const std::filesystem::path& hooks, const std::string& program, GitSetupReport& report) {
  std::filesystem::create_directories(hooks);
  const std::filesystem::path ours = hooks / hook_name, hook = hooks / "pre-commit";
  if (base::read_file(ours) != scan_of_staged(program)) {
    write_file(ours, scan_of_staged(program));
    report.done.push_back(ours.string());
  }
  make_executable(ours);
  const std::string call = "\"$(dirname \"$0\")/" + std::string(hook_name) + "\" || exit 1\n";
  if (!std::filesystem::exists(hook)) {
    write_file(hook, "#!/bin/sh\n" + call);
    make_executable(hook);
    report.done.push_back(hook.string());
  } else if (base::read_file(hook).value_or("").find(hook_name) == std::string::npos) {
    report.to_do.push_back(hook.string() + " already exists; add this line to it: " + call.substr(0, call.size() - 1));
  }
}

/// Sets up the repository that contains `folder`. `program` is the command that runs this program there. Calling it
/// again changes nothing. It changes
///  - `.gitattributes`: `*.cassette` gets the diff and merge driver `tapedeck`; `.gitignore`: side files
///  - the repository's configuration: the two drivers
///  - the pre-commit hook, which searches staged cassettes for secrets, unless there is a hook
/// Throws std::runtime_error with one line.
GitSetupReport set_up(const std::string& folder, const std::string& program) {
  GitSetupReport report;
  const GitResult root = git(folder, {"rev-parse", "--show-toplevel"});
  if (root.status != 0 || root.out.empty()) throw std::runtime_error(folder + " is not in a git repository");
  report.root = root.out;
  const std::filesystem::path path(root.out);
  add_lines(path / ".gitattributes", attribute_lines, report);
  add_lines(path / ".gitignore", ignore_lines, report);
  configure(root.out, "diff.tapedeck.textconv", program + " export --text", report);
  configure(root.out, "diff.tapedeck.cachetextconv", "true", report);
  configure(root.out, "merge.tapedeck.name", "cassettes by what was recorded", report);
  configure(root.out, "merge.tapedeck.driver", program + " merge --base %O %A %B -o %A --as ours --as theirs", report);
  const GitResult hooks = git(root.out, {"rev-parse", "--git-path", "hooks"});
  if (hooks.status != 0) throw std::runtime_error("git does not report the folder of its hooks");
  const std::filesystem::path where(hooks.out);
  add_hook(where.is_absolute() ? where : path / where, program, report);
  return report;
}

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
  const GitSetupReport report = set_up(options.folder, how_to_call());
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
  auto [command, options] = program.command("git-setup", "Set up git to diff, merge, and check cassettes", git_setup);
  command.argument("DIR", into(options.folder), "Folder in the repository").show_default(".");
  command.flag("--json", options.json, "Print JSON");
  command.examples = {{"Set up the current repository", "tapedeck git-setup"},
                      {"Set up another repository", "tapedeck git-setup ~/src/app"}};
}

}  // namespace tapedeck::cli
