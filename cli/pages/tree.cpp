#include "cli/pages/tree.h"

#include "cli/app.h"

namespace tapedeck::cli {

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command, const std::string& group) {
  return command.get_options(
      [&group](const CLI::Option* option) { return option->nonpositional() && option->get_group() == group; });
}

std::vector<const CLI::Option*> all_options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> options = options_of(command);
  for (const CLI::App* nested : commands_of(command)) {
    for (const CLI::Option* option : options_of(*nested)) {
      if (!option->check_lname("help")) options.push_back(option);
    }
  }
  return options;
}

std::string called(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  const bool is_nested = parent != nullptr && parent->get_parent() != nullptr;
  return is_nested ? called(*parent) + " " + command.get_name() : command.get_name();
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
