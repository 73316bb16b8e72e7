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
