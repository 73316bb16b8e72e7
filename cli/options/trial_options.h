#pragma once
// The options of commands that run a command many times.

#include <string>
#include <vector>

#include "cli/options/rule_options.h"
#include "cli/running/trial.h"

namespace tapedeck::cli {

class Command;
class ProgressBar;

struct TrialCommandOptions {
  RuleOptions rules;
  std::string junit;
  std::string time;
  std::vector<std::string> command;  ///< what follows "--"
};

/// --junit, --time, --config.
void add_trial_options(Command& command, TrialCommandOptions& options);
/// `name` is that of our command. Throws UsageError.
[[nodiscard]] TrialOptions trial_options(const TrialCommandOptions& options, const std::string& name);
/// Throws UsageError when there is no such command.
void require_run(const TrialResult& result, const TrialOptions& options);
/// What a run printed at its end, each line behind two blanks, for a message; empty if it printed nothing.
[[nodiscard]] std::string output_lines(const TrialResult& result);
/// Shows which run is next, and how far the search may be: `left` elements can still be left out.
void show_run(ProgressBar& bar, const TrialRunner& runner, const std::string& step, std::size_t left = 0);
/// "exit status 1", "it took too long and was ended".
[[nodiscard]] std::string ending_of(const TrialResult& result);

}  // namespace tapedeck::cli
