#pragma once
// Defines the options of commands that run a test command many times.

#include <string>

#include "cli/running/trial.h"

namespace tapedeck::cli {

class Command;
class ProgressBar;

/// Adds --junit, --time, and --config.
void add_trial_options(Command& command, TrialOptions& options);
/// Checks the options and returns them. `name` is the name of the Tapedeck command. Throws UsageError.
[[nodiscard]] const TrialOptions& checked_trials(const TrialOptions& options, const std::string& name);
/// Throws UsageError if the command could not be run.
void require_run(const TrialResult& result, const TrialOptions& options);
/// Returns the end of a run's output for a message, each line indented by two spaces. Empty if the run printed nothing.
[[nodiscard]] std::string output_lines(const TrialResult& result);
/// Shows the number of the next run, and how many elements the search may still remove (`left`).
void show_run(ProgressBar& bar, const TrialRunner& runner, const std::string& step, std::size_t left = 0);
/// Describes how a run ended, such as "exit status 1" or "it took too long and was ended".
[[nodiscard]] std::string ending_of(const TrialResult& result);

}  // namespace tapedeck::cli
