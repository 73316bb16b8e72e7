#include "cli/pages/tree.h"

#include "cli/app.h"

namespace tapedeck::cli {

std::vector<const Option*> all_options_of(const Command& command) {
  std::vector<const Option*> options = command.named_options();
  for (const auto& nested : command.commands) {
    for (const Option* option : nested->named_options()) {
      if (!option->has_name("--help")) options.push_back(option);
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
      {fine, "Fine."},
      {run_failed,
       "The run failed: a port that is taken, a disk that is full, a recording that could not be finished."},
      {usage, "Usage, or a cassette that cannot be used."},
      {incomplete, "Finished, but something was not stored, a learned secret was found, or --strict saw something."},
  };
  return statuses;
}

}  // namespace tapedeck::cli
