#include "cli/command_tree.h"

#include "cli/commands/commands.h"

namespace tapedeck::cli {
namespace {

struct Entry {
  std::string_view name;
  const char* heading;  ///< of `tapedeck --help`
  void (*add)(Command& program);
};

constexpr const char* running = "Record and replay";
constexpr const char* looking = "Inspect";
constexpr const char* checking = "Check";
constexpr const char* writing = "Mock responses";
constexpr const char* changing = "Edit";
constexpr const char* exchanging = "Export and import";
constexpr const char* setting_up = "Setup";

/// The commands in the order of `tapedeck --help`.
constexpr Entry entries[] = {
    {"record", running, add_record},
    {"replay", running, add_replay},
    {"exec", running, add_exec},
    {"demo", running, add_demo},
    {"ls", looking, add_ls},
    {"show", looking, add_show},
    {"explain", looking, add_explain},
    {"info", looking, add_info},
    {"stats", looking, add_stats},
    {"grep", looking, add_grep},
    {"diff", looking, add_diff},
    {"hash", looking, add_hash},
    {"scan", checking, add_scan},
    {"rules", checking, add_rules},
    {"overlay", writing, add_overlay},
    {"effects", writing, add_effects},
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

std::unique_ptr<Command> command_tree(std::string_view only) {
  auto program = std::make_unique<Command>(
      "tapedeck", "Record the Web API of a storage device, such as a Synology NAS, and replay it without the device");
  program->option("--version", "", {}, "Print the version and exit");
  for (const Entry& entry : entries) {
    if (!only.empty() && only != entry.name) continue;
    entry.add(*program);
    program->commands.back()->group = entry.heading;
  }
  program->common = {"record", "replay", "exec", "demo", "doctor", "ls", "show", "explain", "diff", "scan", "overlay"};
  program->examples = {{"Record a device; clients connect to http://127.0.0.1:8080 instead",
                        "tapedeck record --device https://nas.example:5001 nas.cassette"},
                       {"Replay the recording without the device", "tapedeck replay nas.cassette"}};
  return program;
}

}  // namespace tapedeck::cli
