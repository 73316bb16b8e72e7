#include "cli/command_tree.h"

#include "cli/commands/commands.h"

namespace tapedeck::cli {
namespace {

struct Entry {
  std::string_view name;
  const char* heading;  ///< in the reference
  void (*add)(Command& program);
};

constexpr const char* running = "Record and replay";
constexpr const char* looking = "Look and compare";
constexpr const char* changing = "Change and exchange";
constexpr const char* setting_up = "Set up";

/// The commands in the order of `tapedeck --help`.
constexpr Entry entries[] = {
    {"record", running, add_record},
    {"replay", running, add_replay},
    {"exec", running, add_exec},
    {"demo", running, add_demo},
    {"ls", looking, add_ls},
    {"show", looking, add_show},
    {"grep", looking, add_grep},
    {"info", looking, add_info},
    {"explain", looking, add_explain},
    {"diff", looking, add_diff},
    {"scan", looking, add_scan},
    {"edit", changing, add_edit},
    {"rm", changing, add_rm},
    {"merge", changing, add_merge},
    {"scrub", changing, add_scrub},
    {"export", changing, add_export},
    {"import", changing, add_import},
    {"overlay", setting_up, add_overlay},
    {"doctor", setting_up, add_doctor},
    {"git-setup", setting_up, add_git_setup},
};

}  // namespace

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Command> command_tree(std::string_view only) {
  auto program = std::make_unique<Command>(
      "tapedeck", "Record the Web API of a storage device (NAS) and replay it without the device");
  program->option("-V,--version", "", {}, "Print the version and exit");
  for (const Entry& entry : entries) {
    if (!only.empty() && only != entry.name) continue;
    entry.add(*program);
    program->commands.back()->group = entry.heading;
  }
  return program;
}

}  // namespace tapedeck::cli
