#include "cli/command_tree.h"

#include <CLI/CLI.hpp>
#include <string_view>
#include <utility>

#include "cli/help/help_formatter.h"
#include "cli/version.h"

namespace tapedeck::cli {
namespace {

struct Entry {
  std::string_view name;
  const char* heading;  ///< of `tapedeck --help`
  void (*add)(CLI::App& app, Action& action);
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

std::unique_ptr<CLI::App> command_tree(Action& action, std::vector<std::string> trailing, std::size_t width,
                                       std::string_view only) {
  auto app = std::make_unique<CLI::App>(
      "Records the Device Management Web API of a storage device, and replays it without the device.");
  app->name("tapedeck");
  app->set_version_flag("--version", version_text);
  app->require_subcommand(1);
  app->formatter(std::make_shared<HelpFormatter>(width));
  for (const Entry& entry : entries) {
    if (!only.empty() && only != entry.name) continue;
    if (entry.add == nullptr) {
      add_exec(*app, action, std::move(trailing));
    } else {
      entry.add(*app, action);
    }
    app->get_subcommand(std::string(entry.name))->group(entry.heading);
  }
  app->footer("`tapedeck COMMAND --help` lists a command's options.");
  return app;
}

}  // namespace tapedeck::cli
