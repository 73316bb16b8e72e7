#include "tools/git_setup.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "base/descriptor.h"
#include "base/output_file.h"
#include "base/shell_word.h"

namespace tapedeck::tools {
namespace {

constexpr std::array<const char*, 1> attributes = {"*.cassette diff=tapedeck merge=tapedeck -text"};
/// Files that Tapedeck and SQLite create beside a cassette.
constexpr std::array<const char*, 7> ignored = {
    "*.cassette-*",        "*.cassette.finishing*",   "*.cassette.new-*",
    "*.cassette.failed*",  "*.cassette.quarantined*", "*.cassette.recording*",
    "*.cassette.unmerged*"};
constexpr const char* hook_name = "tapedeck-pre-commit";

struct Said {
  int status = -1;
  std::string out;  ///< without the last line end
};

Said git(const std::string& folder, const std::vector<std::string>& arguments) {
  std::string command = "git -C " + base::shell_quoted(folder);
  for (const std::string& argument : arguments) command += " " + base::shell_quoted(argument);
  command += " 2>/dev/null";
  Said said;
  FILE* const pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) return said;
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    said.out.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  said.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (said.out.ends_with('\n')) said.out.pop_back();
  return said;
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

}  // namespace

GitSetupReport git_setup(const std::string& folder, const std::string& program) {
  GitSetupReport report;
  const Said root = git(folder, {"rev-parse", "--show-toplevel"});
  if (root.status != 0 || root.out.empty()) throw std::runtime_error(folder + " is not in a git repository");
  report.root = root.out;
  const std::filesystem::path path(root.out);
  add_lines(path / ".gitattributes", attributes, report);
  add_lines(path / ".gitignore", ignored, report);
  configure(root.out, "diff.tapedeck.textconv", program + " export --text", report);
  configure(root.out, "diff.tapedeck.cachetextconv", "true", report);
  configure(root.out, "merge.tapedeck.name", "cassettes by what was recorded", report);
  configure(root.out, "merge.tapedeck.driver", program + " merge --base %O %A %B -o %A --as ours --as theirs", report);
  const Said hooks = git(root.out, {"rev-parse", "--git-path", "hooks"});
  if (hooks.status != 0) throw std::runtime_error("git does not report the folder of its hooks");
  const std::filesystem::path where(hooks.out);
  add_hook(where.is_absolute() ? where : path / where, program, report);
  return report;
}

}  // namespace tapedeck::tools
