// tapedeck exec: a command with a replay server of its own.

#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <thread>

#include <CLI/CLI.hpp>

#include "cli/app.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/reports/run_report.h"
#include "cli/running/exec_child.h"

namespace tapedeck::cli {
namespace {

struct ExecOptions : ReplayCommandOptions {
  std::string report;
  std::vector<std::string> command;
};

/// Opened before the command runs, so that a run is not lost to a wrong path.
class ReportFile {
 public:
  explicit ReportFile(const std::string& path) : path_(path) {
    if (path.empty()) return;
    out_.open(path, std::ios::binary | std::ios::trunc);
    check();
  }
  void write(const RunReport& report) {
    if (path_.empty()) return;
    out_ << (path_.ends_with(".xml") ? report_junit(report) : report_json(report)) << std::flush;
    check();
  }

 private:
  void check() const {
    if (!out_) throw std::runtime_error("cannot write the report " + path_ + ": " + std::strerror(errno));
  }
  std::string path_;
  std::ofstream out_;
};

/// Serves on a thread of its own; what goes wrong there comes out of stop().
class Serving {
 public:
  explicit Serving(ReplayRun& run)
      : run_(run), thread_([this] {
          try {
            run_.serve();
          } catch (...) {
            failure_ = std::current_exception();
          }
        }) {}
  ~Serving() { run_.shut_down(); }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;
  void stop() {
    run_.shut_down();
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  ReplayRun& run_;
  std::exception_ptr failure_;
  std::jthread thread_;
};

int exec(const ExecOptions& options) {
  if (options.control.control.empty())
    throw UsageError("exec always has a control API; leave --control out for a free port");
  const Strict strict(options.strict, Strict::on_replay);
  const ChildRunner child;
  set_up_log();
  ReportFile file(options.report);
  ReplayRun run(options, "exec");
  run.announce();
  Serving serving(run);
  const int status = child.run(options.command, {{"TAPEDECK_URL", run.server().url()},
                                                 {"TAPEDECK_CONTROL_URL", run.control()->url()},
                                                 {"TAPEDECK_TOKEN", run.control()->token()}});
  serving.stop();
  const RunReport report = gather_report(run, status, strict);
  print_report(report);
  file.write(report);
  return report.exit_status;
}

}  // namespace

void add_exec(CLI::App& app, Action& action, std::vector<std::string> trailing) {
  auto options = std::make_shared<ExecOptions>();
  options->server.listen = "127.0.0.1:0";
  options->control.control = "127.0.0.1:0";
  options->command = std::move(trailing);
  CLI::App* command = app.add_subcommand("exec", "Run a command with a replay server of its own: exec … -- COMMAND …");
  command->add_option("cassettes", options->replay.cassettes, "Cassettes, asked in this order; none: built-in answers")
      ->type_name("CASSETTE ...");
  add_replay_options(*command, *options);
  command
      ->add_option("--report", options->report, "Write the run report: JUnit XML if the name ends in .xml, else JSON")
      ->type_name("FILE");
  command->footer(
      "COMMAND gets TAPEDECK_URL, TAPEDECK_CONTROL_URL and TAPEDECK_TOKEN. When it ends, the server stops and says "
      "what was "
      "played, missed and never used. The exit status is COMMAND's: 128+N when signal N ended it, 127 when there is no "
      "such "
      "command, 126 when it cannot be run.");
  command->callback([options, &action] {
    action = [options] {
      if (options->command.empty()) throw UsageError("exec needs a command behind --: tapedeck exec … -- COMMAND …");
      return exec(*options);
    };
  });
}

}  // namespace tapedeck::cli
