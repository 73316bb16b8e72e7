#include "cli/command_tree.h"

#include <utility>

#include "cli/commands/commands.h"

namespace tapedeck::cli {
namespace {

struct Entry {
  std::string_view name;
  const char* heading;  ///< of `tapedeck --help`
  void (*add)(Command& program);
};

constexpr const char* running = "Record and replay";
constexpr const char* looking = "Look";
constexpr const char* checking = "Check";
constexpr const char* writing = "Write by hand";
constexpr const char* changing = "Change";
constexpr const char* exchanging = "Exchange";
constexpr const char* setting_up = "Set up";

/// In the order of `tapedeck --help`. `exec` is added with what stood behind its "--".
constexpr Entry entries[] = {
    {"record", running, add_record},
    {"replay", running, add_replay},
    {"exec", running, nullptr},
    {"demo", running, add_demo},
    {"ls", looking, add_ls},
    {"show", looking, add_show},
    {"explain", looking, add_explain},
    {"info", looking, add_info},
    {"stats", looking, add_stats},
    {"grep", looking, add_grep},
    {"diff", looking, add_diff},
    {"hash", looking, add_hash},
    {"verify", checking, add_verify},
    {"scan", checking, add_scan},
    {"rules", checking, add_rules},
    {"overlay", writing, add_overlay},
    {"scrub", changing, add_scrub},
    {"scope", changing, add_scope},
    {"set", changing, add_set},
    {"edit", changing, add_edit},
    {"rm", changing, add_rm},
    {"prune", changing, add_prune},
    {"pick", changing, add_pick},
    {"merge", changing, add_merge},
    {"export", exchanging, add_export},
    {"import", exchanging, add_import},
    {"doctor", setting_up, add_doctor},
    {"git-setup", setting_up, add_git_setup},
};

}  // namespace

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Command> command_tree(std::vector<std::string> trailing, std::string_view only) {
  auto program = std::make_unique<Command>(
      "tapedeck", "Records the Device Management Web API of a storage device, and replays it without the device.");
  program->option("--version", "", {}, "Display program version information and exit");
  for (const Entry& entry : entries) {
    if (!only.empty() && only != entry.name) continue;
    if (entry.add == nullptr) {
      add_exec(*program, std::move(trailing));
    } else {
      entry.add(*program);
    }
    program->commands.back()->group = entry.heading;
  }
  program->details = "`tapedeck COMMAND --help` lists a command's options.";
  return program;
}

}  // namespace tapedeck::cli
