#include "cli/pages/tree.h"

#include "cli/app.h"

namespace tapedeck::cli {

std::vector<const Option*> all_options_of(const Command& command) {
  std::vector<const Option*> options = command.help_options();
  for (const Option* option : command.named_options()) options.push_back(option);
  for (const auto& nested : command.commands) {
    for (const Option* option : nested->named_options()) {
      options.push_back(option);
    }
  }
  return options;
}

std::string called(const Command& command) {
  const bool is_nested = command.parent != nullptr && command.parent->parent != nullptr;
  return is_nested ? called(*command.parent) + " " + command.name : command.name;
}

const std::vector<std::pair<int, const char*>>& exit_statuses() {
  static const std::vector<std::pair<int, const char*>> statuses = {
      {fine, "Success."},
      {run_failed,
       "The run failed, for example because a port is in use, the disk is full, or a recording cannot be finished."},
      {usage, "The command line is wrong, or a cassette cannot be used."},
      {incomplete,
       "The run finished, but something was not stored, a known secret was found, or a --strict condition was met."},
  };
  return statuses;
}

}  // namespace tapedeck::cli
