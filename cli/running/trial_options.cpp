#include "cli/running/trial_options.h"

#include "base/text.h"
#include "cli/arguments/values.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/reports/progress_bar.h"
#include "replay/overlays/delay.h"

namespace tapedeck::cli {
namespace {

std::optional<std::chrono::milliseconds> time_of(const std::string& text) {
  constexpr std::uint64_t most_hours = 10'000;
  std::string_view hours = text;
  if (hours.ends_with('h')) {
    hours.remove_suffix(1);
    const auto number = base::whole_number<std::uint64_t>(hours);
    if (number && *number > 0 && *number <= most_hours) return std::chrono::hours(*number);
  } else if (const auto time = replay::parse_duration(text); time && time->count() > 0) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(*time);
  }
  return std::nullopt;
}

}  // namespace

void add_trial_options(Command& command, TrialOptions& options) {
  command.option("--junit", "FILE", into(options.junit),
                 "JUnit file that COMMAND writes; {run} is the number of the run");
  command.option("--time", "LIMIT", parsed(options.time, time_of, "must be a time such as 90s, 10m, or 2h"),
                 "Stop after this time, such as 90s or 10m, and report what is known");
  command.option("--config", "FILE", into(options.replay.rules.config),
                 "Read match rules and exceptions from this configuration file (TOML)");
}

const TrialOptions& checked_trials(const TrialOptions& options, const std::string& name) {
  if (options.command.empty() || options.command.front().empty()) {
    throw UsageError("missing command after `--`\nhint: tapedeck " + name + " ... -- COMMAND ...");
  }
  static_cast<void>(read_config(options.replay.rules));  // reports errors before the command runs
  return options;
}

void require_run(const TrialResult& result, const TrialOptions& options) {
  if (result.has_run || result.is_stopped) return;
  throw UsageError("cannot run " + options.command.front() +
                   (result.status == 127 ? ": no such command" : ": it cannot be executed"));
}

void show_run(ProgressBar& bar, const TrialRunner& runner, const std::string& step, std::size_t left) {
  std::uint64_t runs_left = 4;
  for (; left > 0; left /= 2) runs_left += 2;
  const std::uint64_t done = runner.runs();
  bar.show("run " + std::to_string(done + 1) + ": " + step, done, done + runs_left);
}

std::string output_lines(const TrialResult& result) {
  std::string lines;
  std::string_view rest = result.output;
  constexpr std::size_t most_bytes = 1'500;
  if (rest.size() > most_bytes) rest.remove_prefix(rest.size() - most_bytes);
  rest = base::trim(rest, "\n");
  while (!rest.empty()) lines += "  " + printable(base::take_until(rest, '\n')) + "\n";
  return lines;
}

std::string ending_of(const TrialResult& result) {
  if (result.is_late) return "it took too long and was ended";
  return "exit status " + std::to_string(result.status);
}

}  // namespace tapedeck::cli
