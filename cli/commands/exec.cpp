// tapedeck exec: runs a command with its own replay server.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/device_options.h"
#include "cli/options/headings.h"
#include "cli/running/device_side.h"
#include "cli/running/exec_child.h"
#include "cli/running/replay_run.h"
#include "cli/running/run_report.h"

namespace tapedeck::cli {
namespace {

struct ExecOptions : ReplayCommandOptions {
  std::string report;
  std::string mode = "none";
  RecordingOptions recording;
  bool allow_writes = false;
  std::vector<api::ScopeName> rerecord;
  bool each = false;
  std::vector<std::string> command;
};

void report_to(const nlohmann::json& report, const ReportFile& file) {
  print_report(report);
  file.write(file.is_xml() ? junit_document({{"tapedeck exec", report}}) : readable_json(report, 2) + "\n");
}

int exec_replaying(const ExecOptions& options, const ChildRunner& child, const ReportFile& file) {
  ReplayRun run(options, "exec");
  run.announce();
  ServerThread serving(run);
  const ChildRunner::Ended command = child.run(options.command, environment_of(run, options.replay.cassettes));
  serving.stop();
  if (!command.has_run) return command.status;
  const nlohmann::json report = gather_report(run, command.status, options.strict);
  report_to(report, file);
  return report["exit_status"].get<int>();
}

DeviceSideOptions device_side(const ExecOptions& options) {
  DeviceSideOptions side;
  side.plays = options.mode == "new";
  side.allow_writes = options.allow_writes;
  side.rerecord = options.rerecord;
  side.ends_on_signals = false;  // signals are for the command
  RecordingOptions& recording = side.recording = recording_options(options.recording, options);
  recording.cassette = options.replay.cassettes.front();
  recording.discards_logins = side.plays;
  recording.block_writes = side.plays && !side.allow_writes;
  recording.unblock_hint = "record with --allow-writes";
  recording.writing.kept_when_killed = false;  // the command's exit status would be unknown
  return side;
}

/// Sends the summary of a recording to standard error, because standard output belongs to the command.
class OutputToErrors {
 public:
  OutputToErrors() : before_(std::cout.rdbuf(std::cerr.rdbuf())) {}
  ~OutputToErrors() { std::cout.rdbuf(before_); }
  OutputToErrors(const OutputToErrors&) = delete;
  OutputToErrors& operator=(const OutputToErrors&) = delete;

 private:
  std::streambuf* before_;
};

int exec_recording(const ExecOptions& options, const ChildRunner& child, const ReportFile& file) {
  DeviceSide device(device_side(options), options, "exec");
  device.announce();
  ServerThread serving(device.run());
  const ChildRunner::Ended command = child.run(options.command, environment_of(device.run(), options.replay.cassettes));
  device.shut_down();
  serving.stop();
  const OutputToErrors redirected;
  if (!command.has_run) {
    (void)device.finish(false, Strict());
    return command.status;
  }
  nlohmann::json report = gather_report(device.run(), command.status, options.strict);
  const bool is_kept = command.status == 0 || device.has_failed_scope();
  // All secrets are known only after the cassette is finished.
  const auto report_hidden = [&](int recorded) {
    report["recording_status"] = recorded;
    if (report["exit_status"] == fine) report["exit_status"] = recorded;
    hide(report, [&device](std::string_view text) { return device.scrub_text(text); });
    report_to(report, file);
  };
  int recorded = run_failed;
  try {
    recorded = device.finish(is_kept && !device.run().is_damaged(), Strict());
  } catch (...) {
    report_hidden(recorded);
    throw;
  }
  report_hidden(recorded);
  return report["exit_status"].get<int>();
}

/// The paths of cassettes and the reports about them.
using Rows = std::vector<std::pair<std::string, nlohmann::json>>;

std::string json_of(const Rows& rows, int exit_status) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [cassette, report] : rows) list.push_back({{"cassette", cassette}, {"report", report}});
  const nlohmann::ordered_json out = {{"cassettes", std::move(list)}, {"exit_status", exit_status}};
  return readable_json(out, 2) + "\n";
}

void print_rows(const Rows& rows) {
  std::vector<std::vector<std::string>> lines;
  for (const auto& [cassette, report] : rows) {
    const int status = report["command_status"].get<int>();
    const std::string outcome = report["exit_status"] == fine ? "passed"
                                : status == 0                 ? "failed (--strict)"
                                                              : fmt::format("failed ({})", status);
    lines.push_back({printable(cassette), outcome, report["counters"]["miss"].dump(), printable(first_miss(report))});
  }
  print_table({"CASSETTE", "STATUS", "MISSES", "FIRST FAILING REQUEST"}, lines);
  std::cout << std::flush;
}

/// Runs the command once for each cassette and prints the results. Returns the exit status, which is 3 if a run fails.
int exec_each(const ExecOptions& options, const ChildRunner& child, const ReportFile& file) {
  Rows rows;
  bool is_stopped = false;
  for (const std::string& cassette : options.replay.cassettes) {
    std::cerr << fmt::format("tapedeck exec: {} ({} of {})\n", printable(cassette), rows.size() + 1,
                             options.replay.cassettes.size());
    ExecOptions one = options;
    one.replay.cassettes = {cassette};
    ReplayRun run(one, "exec");
    run.announce();
    ServerThread serving(run);
    const ChildRunner::Ended command = child.run(options.command, environment_of(run, one.replay.cassettes));
    serving.stop();
    if (!command.has_run) return command.status;
    is_stopped = command.got_signal;
    if (is_stopped) break;
    rows.emplace_back(cassette, gather_report(run, command.status, options.strict));
  }
  const bool any_failed =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.second["exit_status"] != fine; });
  const int status = is_stopped ? run_failed : any_failed ? incomplete : fine;
  print_rows(rows);
  file.write(file.is_xml() ? junit_document(rows) : json_of(rows, status));
  if (is_stopped) std::cerr << "tapedeck: stopped; the remaining cassettes were not tried\n";
  return status;
}

void check(const ExecOptions& options) {
  if (options.command.empty())
    throw UsageError("missing command after `--`\nhint: usage: tapedeck exec [OPTIONS] [CASSETTE ...] -- COMMAND ...");
  if (options.command.front().empty()) throw UsageError("the command after `--` is empty");
  if (options.control.control.empty())
    throw UsageError(
        "--control cannot be empty\nhint: `tapedeck exec` always serves the control API; omit --control to use a free "
        "port");
  if (options.each && options.mode != "none") throw UsageError("--each cannot be used with --mode " + options.mode);
  if (options.each && options.replay.cassettes.empty()) throw UsageError("--each requires cassettes");
  if (options.mode != "new" && !options.rerecord.empty()) throw UsageError("--rerecord requires --mode new");
  if (options.mode == "none") return;
  if (options.replay.at_end != replay::AtEnd::stick)
    throw UsageError("--at-end cannot be used with --mode " + options.mode);
  refuse_changes(options.replay, "--mode " + options.mode);
  if (options.recording.device.device.empty()) throw UsageError("--mode " + options.mode + " requires --device URL");
  if (options.replay.cassettes.empty())
    throw UsageError("--mode " + options.mode + " requires a cassette to record into");
}

int exec(const ExecOptions& options) {
  check(options);
  const ReportFile file(options.report);
  const ChildRunner child;
  if (options.each) return exec_each(options, child, file);
  const bool has_cassette =
      !options.replay.cassettes.empty() && std::filesystem::exists(options.replay.cassettes.front());
  if (options.mode == "none" || (options.mode == "once" && has_cassette)) {
    return exec_replaying(options, child, file);
  }
  return exec_recording(options, child, file);
}

}  // namespace

void add_exec(Command& program) {
  auto [command, options] = program.command("exec", "Run a test command with its own replay server", exec);
  options.server.listen = "127.0.0.1:0";
  options.control.control = "127.0.0.1:0";
  command.argument("CASSETTE ...", into(options.replay.cassettes), "Cassettes, searched in this order");
  command.option("--report", "FILE", into(options.report),
                 "Write a report (JUnit XML if the name ends in .xml, otherwise JSON)");
  command.flag("--each", options.each, "Run COMMAND once for each cassette (exit status 3 if one fails)");
  command
      .choice("--mode", one_of(options.mode, {"all", "new", "none", "once"}),
              "none: record nothing; all: every request; new: only requests without a recording; once: record if the "
              "cassette is missing, otherwise replay it")
      .show_default();
  add_rerecord_option(command, options.rerecord, "--mode new");
  command.option("--note", "TEXT", into(options.recording.note),
                 "Describe the recording; `tapedeck ls` shows the text (when recording)");
  {
    const Heading heading(command, headings::device);
    command.option("--device", "URL", into(options.recording.device.device), "Base URL of the device, to record from");
    add_certificate_options(command, options.recording.device);
    command.flag("--allow-writes", options.allow_writes,
                 "Also forward requests that change the device (with --mode new)");
  }
  add_replay_options(command, options);
  command.details = std::string(
                        "COMMAND gets the variables TAPEDECK_URL, TAPEDECK_CONTROL_URL, and TAPEDECK_TOKEN. When it "
                        "ends, the server stops and reports which recordings were replayed, which requests were "
                        "missed, and what was never used. The exit status is that of COMMAND: 128+N if signal N ended "
                        "it, 127 if it does not exist, and 126 if it cannot be run.") +
                    strict_sentence();
  command.trailing = &options.command;
  command.common = {"--each",     "--mode",   "--device", "--report", "--strict", "--overlay", "--scope",
                    "--position", "--at-end", "--ignore", "--auth",   "--config", "--page"};
  command.examples = {{"Run tests against a cassette", "tapedeck exec nas.cassette -- npm test"},
                      {"Run tests against every recording", "tapedeck exec --each fw/*.cassette -- npm test"},
                      {"Record missing requests from the device and replay the others",
                       "tapedeck exec --mode new --device https://nas:5001 a.cassette -- npm test"}};
}

}  // namespace tapedeck::cli
