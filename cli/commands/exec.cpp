// tapedeck exec: runs a command with its own replay server.

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/system.h"
#include "base/text.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/device_options.h"
#include "cli/options/headings.h"
#include "cli/running/command_guard.h"
#include "cli/running/device_side.h"
#include "cli/running/replay_run.h"
#include "cli/running/run_report.h"
#include "cli/running/spawn.h"

namespace tapedeck::cli {
namespace {

/// Runs commands. Create it before the first thread starts, because it blocks the signals that it waits for in every
/// thread.
class ChildRunner {
 public:
  struct Ended {
    bool has_run = false;
    int status = 0;
    bool got_signal = false;  ///< this process was told to end while the command ran
  };
  /// The command inherits the descriptors that are open now; all others are closed.
  ChildRunner();

  /// Runs `command`, which is found through PATH. Adds `environment` to the environment. Forwards SIGINT, SIGTERM, and
  /// SIGHUP, except signals that a terminal already sent to the whole group. Waits for the command, and then ends the
  /// processes that it left running (base::reap_with_leftovers()): on Linux also those in other sessions. If this
  /// process is killed, a guard ends the command and its process group; on a terminal, the command shares the group of
  /// this process, so that Ctrl-C reaches both, and only the command itself is ended.
  ///
  /// Returns the command's exit status, 128 + N if signal N ended it, 127 if it was not found, and 126 if it cannot be
  /// run; the last two print a message. Call it on the main thread.
  [[nodiscard]] Ended run(const std::vector<std::string>& command,
                          const std::vector<std::pair<std::string, std::string>>& environment) const;

 private:
  std::unique_ptr<CommandGuard> guard_;
  std::set<int> inherited_;  ///< other descriptors that the command gets, such as pipes of a shell or of make
};

sigset_t waited_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set, signal);
  return set;
}

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : added) replaced = replaced || text.starts_with(name + "=");
    if (!replaced) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

bool has_terminal() { return base::Descriptor(open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)).open(); }

/// Returns true if the child has ended. It is not reaped yet, so that its ID stays reserved.
bool has_ended(pid_t child) {
  siginfo_t ended{};
  return waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == child;
}

/// Forwards signals until the child has ended. Returns true if there was one.
bool forward_signals(pid_t child) {
  const sigset_t set = waited_signals();
  bool got_signal = false;
  while (!has_ended(child)) {
    const base::Signal signal = base::wait_for_signal(set);
    if (signal.number == 0 || signal.number == SIGCHLD) continue;
    got_signal = true;
    if (!signal.from_terminal) kill(child, signal.number);
  }
  return got_signal;
}

ChildRunner::ChildRunner() : inherited_(base::open_descriptors()) {
  guard_ = std::make_unique<CommandGuard>();
  base::block_signals(waited_signals());
}

ChildRunner::Ended ChildRunner::run(const std::vector<std::string>& command,
                                    const std::vector<std::pair<std::string, std::string>>& environment) const {
  base::adopt_orphans();
  // Libraries open some files without O_CLOEXEC, and a command that inherits sockets would keep the port open.
  for (const int file : base::open_descriptors()) {
    if (!inherited_.contains(file)) fcntl(file, F_SETFD, FD_CLOEXEC);
  }
  const bool leads_group = !has_terminal();
  ProgramStart start{command, merged_environment(environment)};
  if (leads_group) start.group = POSIX_SPAWN_SETPGROUP;
  pid_t child = 0;
  if (const int error = start_program(std::move(start), child); error != 0) {
    std::cerr << "tapedeck: cannot run " << printable(command.front()) << ": " << std::strerror(error) << '\n';
    return {false, error == ENOENT ? 127 : 126};
  }
  guard_->watch(leads_group ? -child : child);
  const bool got_signal = forward_signals(child);
  guard_->watch(0);
  const int wait_status = base::reap_with_leftovers(child, leads_group, waited_signals());
  return {true, exit_status_of(wait_status), got_signal};
}

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
  const bool is_kept = command.status == 0 || device.has_results();
  using Unreported = RecordingRun::Unreported;
  const auto unreported = command.status == 0 && !command.got_signal ? Unreported::complete : Unreported::interrupted;
  // All secrets are known only after the cassette is finished.
  const auto report_hidden = [&](int recorded) {
    report["recording_status"] = recorded;
    if (report["exit_status"] == fine) report["exit_status"] = recorded;
    hide(report, [&device](std::string_view text) { return device.scrub_text(text); });
    report_to(report, file);
  };
  int recorded = run_failed;
  try {
    recorded = device.finish(is_kept && !device.run().is_damaged(), Strict(), unreported);
  } catch (...) {
    report_hidden(recorded);
    throw;
  }
  report_hidden(recorded);
  return report["exit_status"].get<int>();
}

/// The paths of cassettes and the reports about them.
using Results = std::vector<std::pair<std::string, nlohmann::json>>;

std::string json_of(const Results& rows, int exit_status) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [cassette, report] : rows) list.push_back({{"cassette", cassette}, {"report", report}});
  const nlohmann::ordered_json out = {{"cassettes", std::move(list)}, {"exit_status", exit_status}};
  return readable_json(out, 2) + "\n";
}

void print_rows(const Results& rows) {
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
  Results rows;
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
