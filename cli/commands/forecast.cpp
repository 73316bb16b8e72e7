// tapedeck forecast: predicts what an upgrade of the device breaks in a client.

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "base/descriptor.h"
#include "base/output_file.h"
#include "base/private_folder.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/commands/projection.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/forecast_report.h"
#include "cli/reports/progress_bar.h"
#include "cli/reports/report_file.h"
#include "cli/running/trial_options.h"

namespace tapedeck::cli {
namespace {

using tools::ChangedRun;
using tools::ElementSet;

struct ForecastOptions {
  std::string before, after, info;
  TrialOptions trials;
  unsigned jobs = 1, most = 10;
  bool values = false, json = false;
  std::string report, save;
};

void check(const ForecastOptions& options) {
  if (options.after.empty() == options.info.empty()) {
    throw UsageError("give two cassettes, OLD and NEW, or OLD and --info FILE");
  }
  if (options.jobs > 1 && !options.trials.junit.empty() && options.trials.junit.find("{run}") == std::string::npos) {
    throw UsageError("--junit must contain {run} with --jobs: each run needs its own file",
                     "COMMAND finds the number of its run in TAPEDECK_RUN");
  }
}

tools::FirmwareResponses responses_in(const std::string& path, Firmware& firmware) {
  const cassettes::CassetteReader reader = open_cassette(path);
  firmware.path = path;
  if (!reader.info().takes.empty()) {
    firmware.model = reader.info().takes.back().model;
    firmware.version = reader.info().takes.back().firmware;
  }
  return tools::responses_of(reader);
}

tools::FirmwareResponses responses_after(const ForecastOptions& options, Firmware& firmware) {
  if (options.info.empty()) return responses_in(options.after, firmware);
  firmware.path = options.info;
  const auto text = base::read_file(options.info);
  if (!text) throw UsageError("--info " + options.info + ": cannot read the file");
  try {
    return tools::responses_of_info(*text);
  } catch (const std::invalid_argument& error) {
    throw UsageError("--info " + options.info + ": " + error.what());
  }
}

/// The runs of one forecast.
class Forecast {
 public:
  explicit Forecast(const ForecastOptions& options)
      : options_(options),
        runner_(checked_trials(options.trials, "forecast OLD NEW")),
        before_(responses_in(options.before, result_.before)),
        after_(responses_after(options, result_.after)),
        comparison_(compare(options)),
        projection_(before_, comparison_) {
    cassettes_ = {options.before};
    if (options.info.empty()) cassettes_.push_back(options.after);
  }

  /// Runs the command twice with the old firmware. If it does not pass both times in the same way, prints why and
  /// returns false.
  bool passes_before() {
    const Trial unchanged{{options_.before}, {}};
    for (int time = 0; time < 2; ++time) {
      show_run(bar_, runner_, "OLD");
      const TrialResult run = runner_.run(unchanged);
      if (run.is_stopped) return fail("stopped before the command had run twice with " + options_.before, {});
      require_run(run, runner_.options());
      if (!run.passes()) return fail(failure_of(run), run);
      if (time == 1 && run.tests != first_.tests) {
        return fail("the command is not reliable: two runs with " + options_.before + " had different tests", run);
      }
      first_ = run;
    }
    return true;
  }

  const ForecastResult& search() {
    tools::BreakageOptions searching;
    searching.search.at_once = options_.jobs;
    searching.most = options_.most;
    searching.search.goes_on = [this] { return runner_.goes_on(); };
    searching.search.progress = [this](std::size_t left) { show_run(bar_, runner_, counted(left, "change"), left); };
    tools::BreakageSearch search([this](std::span<const ElementSet> sets) { return run(sets); }, searching);
    const ElementSet all = tools::all_elements(comparison_.changes.size());
    show_run(bar_, runner_, "all changes", all.size());
    const bool is_broken = !all.empty() && !search.run(all).passes;
    const ElementSet called = called_changes();
    result_.not_called = all.size() - called.size();
    result_.breakage.is_complete = runner_.goes_on();
    if (is_broken && runner_.goes_on()) {
      const bool all_needed = search.run(called).passes;
      result_.breakage = search.find(all_needed ? all : called);
    }
    bar_.end();
    finish();
    return result_;
  }

  [[nodiscard]] const tools::FirmwareComparison& comparison() const { return comparison_; }
  [[nodiscard]] bool was_stopped() const { return stop_requested(); }

  void save() const {
    if (options_.save.empty()) return;
    base::OutputFile file(options_.save, Projection::is_saved);
    file.stream() << projection_.saved(result_);
    file.commit();
  }

 private:
  [[nodiscard]] tools::FirmwareComparison compare(const ForecastOptions& options) const {
    tools::FirmwareComparison comparison = tools::compare_firmwares(before_, after_);
    if (!options.values || !options.info.empty()) return comparison;
    scrubbers::PrivateProfile profile(read_config(options.trials.replay.rules).private_values);
    const auto with_pseudonyms = [&profile](const std::string& path) {
      return tools::responses_of(cassettes::CassetteReader(path), &profile);
    };
    const auto before = with_pseudonyms(options.before), after = with_pseudonyms(options.after);
    tools::hide_private_values(comparison, tools::compare_firmwares(before, after));
    return comparison;
  }

  bool fail(const std::string& message, const TrialResult& run) {
    bar_.end();
    std::cerr << "tapedeck: " << printable(message) << '\n' << output_lines(run);
    return false;
  }
  [[nodiscard]] std::string failure_of(const TrialResult& run) const {
    std::string text = fmt::format("the command must pass with {}, but failed: {}", options_.before, ending_of(run));
    const auto failing = run.failing();
    if (!failing.empty()) text += "; first failing test: " + failing.front();
    if (!run.misses.empty()) text += "; " + run.misses.front();
    return text;
  }

  /// Runs the command with each of the sets and returns the results of its tests.
  std::vector<ChangedRun> run(std::span<const ElementSet> sets) {
    std::vector<ChangedRun> changed;
    while (changed.size() < sets.size()) {
      std::vector<Trial> trials;
      const std::size_t begin = changed.size(), end = std::min(begin + options_.jobs, sets.size());
      for (std::size_t i = begin; i < end; ++i) trials.push_back(trial_with(sets[i], i - begin));
      for (const TrialResult& result : runner_.run(trials)) changed.push_back(changed_run(result));
    }
    return changed;
  }
  Trial trial_with(const ElementSet& set, std::size_t place) {
    const std::string file = folder_.file("changes-" + std::to_string(place) + ".toml");
    const std::string text = projection_.toml(set);
    if (!base::replace_file(file, text, 0600))
      throw std::runtime_error("cannot write the overlays of a run to " + file);
    return {cassettes_, {file}};
  }
  ChangedRun changed_run(const TrialResult& result) {
    ChangedRun run;
    run.is_stopped = result.is_stopped;
    run.passes = result.passes();
    run.has_tests = result.has_tests && !result.is_late;
    for (const std::string& name : result.failing()) run.failing.insert(name);
    requests_.insert(result.requests.begin(), result.requests.end());
    return run;
  }

  /// Returns the changes to calls that the command has made so far.
  [[nodiscard]] ElementSet called_changes() const {
    auto requests = requests_;
    requests.insert(first_.requests.begin(), first_.requests.end());
    return projection_.called(requests);
  }

  void finish() {
    result_.changes = comparison_.changes.size();
    result_.unknown = projection_.called_of(comparison_.unknown, first_.requests);
    result_.misses_before = first_.misses;
    result_.runs = runner_.runs();
    result_.is_stopped = stop_requested();
    result_.is_time_over = runner_.is_time_over();
  }

  const ForecastOptions& options_;
  TrialRunner runner_;
  const base::PrivateFolder folder_;
  ForecastResult result_;
  const tools::FirmwareResponses before_, after_;
  const tools::FirmwareComparison comparison_;
  const Projection projection_;
  std::vector<std::string> cassettes_;
  ProgressBar bar_;
  TrialResult first_;
  std::set<std::pair<std::string, std::string>> requests_;
};

int status_of(const ForecastResult& result) {
  if (result.is_stopped || result.breakage.is_flaky) return run_failed;
  if (!result.breakage.sets.empty()) return incomplete;
  return result.breakage.is_complete ? fine : run_failed;
}

int forecast(const ForecastOptions& options) {
  check(options);
  const ReportFile report(options.report);
  if (!options.save.empty()) {
    if (const auto why = base::OutputFile::why_not(options.save, Projection::is_saved)) {
      throw std::runtime_error("cannot write the overlays: " + *why);
    }
  }
  Forecast run(options);
  if (!run.passes_before()) return run_failed;
  const ForecastResult& result = run.search();
  if (options.json) {
    print_forecast_json(result, run.comparison(), options.values, status_of(result));
  } else {
    print_forecast(result, run.comparison(), options.values);
  }
  report.write(forecast_junit(result, run.comparison()));
  run.save();
  return status_of(result);
}

}  // namespace

void add_forecast(Command& program) {
  auto [command, options] =
      program.command("forecast", "Find out which changes of another firmware break a client", forecast);
  command.argument("OLD", into(options.before), "Cassette with which COMMAND passes").required();
  command.argument("NEW", into(options.after), "Cassette of the other firmware or model");
  command.option("--info", "FILE", into(options.info),
                 "Use this saved response of API.Info in place of NEW: missing APIs and versions");
  command.option("--jobs", "N", whole_number(options.jobs, 1, 64), "Number of runs side by side").show_default();
  add_trial_options(command, options.trials);
  command.option("--most", "N", whole_number(options.most, 1, 1'000), "Stop after this number of breaking sets")
      .show_default();
  command.flag("--values", options.values, "Also print recorded values that are neither secret nor private");
  command.flag("--json", options.json, "Print JSON");
  command.option("--report", "FILE", into(options.report), "Write a JUnit report with a case for each change");
  command.option("--save", "FILE", into(options.save),
                 "Write the breaking changes as overlays, to develop a fix against (TOML)");
  command.details =
      "COMMAND must pass twice with OLD. Tapedeck expresses each difference between OLD and NEW as an overlay on OLD, "
      "and runs COMMAND with different sets of overlays until it knows the smallest sets that break it. Three runs "
      "confirm each set. COMMAND gets the variables of `tapedeck exec`, and TAPEDECK_RUN. A run that takes 10 s more "
      "than five times the first one counts as failed. The exit status is 0 if nothing breaks and every change was "
      "tried, 3 if something breaks, and 1 if COMMAND fails with OLD, is not reliable, or was stopped.";
  command.trailing = &options.trials.command;
  command.examples = {
      {"Find the changes that break a client", "tapedeck forecast fw6.cassette fw7.cassette -- npm test"},
      {"Find them for each test", "tapedeck forecast --junit r.xml fw6.cassette fw7.cassette -- ./tests"}};
}

}  // namespace tapedeck::cli
