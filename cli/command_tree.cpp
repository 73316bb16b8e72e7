#include "cli/command_tree.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "cli/help/help_formatter.h"
#include "cli/version.h"

namespace tapedeck::cli {
namespace {

/// The headings of `tapedeck --help`, and what stands under each.
const std::pair<const char*, std::vector<const char*>> groups[] = {
    {"Record and replay", {"record", "replay", "exec", "demo"}},
    {"Look", {"ls", "show", "info", "stats", "grep", "diff", "explain", "hash"}},
    {"Check", {"doctor", "scan", "rules"}},
    {"Write by hand", {"overlay"}},
    {"Change", {"scrub", "set", "edit", "rm", "prune", "pick", "merge", "scope", "git-setup"}},
    {"Exchange", {"export", "import"}},
};

}  // namespace

std::unique_ptr<CLI::App> command_tree(Action& action, std::vector<std::string> trailing, std::size_t width) {
  auto app = std::make_unique<CLI::App>(
      "Records the Device Management Web API of a storage device, and replays it without the device.");
  app->name("tapedeck");
  app->set_version_flag("--version", version_text);
  app->require_subcommand(1);
  app->formatter(std::make_shared<HelpFormatter>(width));
  add_record(*app, action);
  add_replay(*app, action);
  add_exec(*app, action, std::move(trailing));
  add_demo(*app, action);
  add_ls(*app, action);
  add_show(*app, action);
  add_explain(*app, action);
  add_info(*app, action);
  add_stats(*app, action);
  add_grep(*app, action);
  add_diff(*app, action);
  add_hash(*app, action);
  add_overlay(*app, action);
  add_doctor(*app, action);
  add_scan(*app, action);
  add_rules(*app, action);
  add_scrub(*app, action);
  add_scope(*app, action);
  add_set(*app, action);
  add_edit(*app, action);
  add_rm(*app, action);
  add_prune(*app, action);
  add_pick(*app, action);
  add_merge(*app, action);
  add_export(*app, action);
  add_import(*app, action);
  add_git_setup(*app, action);
  for (const auto& [heading, names] : groups) {
    for (const char* const name : names) app->get_subcommand(name)->group(heading);
  }
  app->footer("`tapedeck COMMAND --help` lists a command's options.");
  return app;
}

}  // namespace tapedeck::cli
