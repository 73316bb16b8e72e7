#pragma once
// What man pages, completions and the reference read from the tree of commands.

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tapedeck::cli {

/// Those that --help shows, in its order.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& program);
[[nodiscard]] std::vector<const CLI::Option*> arguments_of(const CLI::App& command);
/// Those with dashes, in the order in which they were added; of one group, or of all.
[[nodiscard]] std::vector<const CLI::Option*> options_of(const CLI::App& command);
[[nodiscard]] std::vector<const CLI::Option*> options_of(const CLI::App& command, const std::string& group);

/// Its own, and those of the commands that it has in turn.
[[nodiscard]] std::vector<const CLI::Option*> all_options_of(const CLI::App& command);
/// "overlay check": as it is called behind the program's name.
[[nodiscard]] std::string called(const CLI::App& command);

/// (status, when), as cli/app.h has them.
[[nodiscard]] const std::vector<std::pair<int, const char*>>& exit_statuses();

}  // namespace tapedeck::cli
