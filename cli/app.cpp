#include "cli/app.h"

#include <csignal>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <stdexcept>

#include "cassettes/file/cassette_error.h"
#include "cli/command.h"
#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

int fail(ExitStatus status, const std::string& message) {
  std::cerr << "tapedeck: " << printable(message) << '\n';
  return status;
}

bool has_command(const CLI::App& app, const std::string& name) {
  const auto named = app.get_subcommands([&name](const CLI::App* command) { return command->check_name(name); });
  return !named.empty();
}

/// What stands behind the first "--" of `exec` is another program's command line: it is taken away before ours is
/// parsed.
std::vector<std::string> cut_trailing(std::vector<std::string>& arguments) {
  const bool is_exec = !arguments.empty() && arguments.front() == "exec";
  const auto dashes = is_exec ? std::find(arguments.begin(), arguments.end(), "--") : arguments.end();
  if (dashes == arguments.end()) return {};
  std::vector<std::string> trailing(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  return trailing;
}

int run_action(const Action& action) {
  try {
    return action();
  } catch (const UsageError& error) {
    return fail(usage, error.what());
  } catch (const cassettes::CassetteError& error) {
    return fail(error.kind() == cassettes::CassetteError::Kind::io ? run_failed : usage, error.what());
  } catch (const std::exception& error) {
    return fail(run_failed, error.what());
  }
}

/// Sets what the command line asks for; without it the status is all there is to do.
int parse(int argc, const char* const* argv, Action& action) {
  CLI::App app{"Records the Device Management Web API of a storage device, and replays it without the device."};
  app.name("tapedeck");
  app.set_version_flag("--version", "tapedeck " TAPEDECK_VERSION);
  app.require_subcommand(1);
  add_record(app, action);
  add_replay(app, action);
  add_ls(app, action);
  add_show(app, action);
  add_scan(app, action);
  add_rules(app, action);
  add_scrub(app, action);
  add_hash(app, action);
  add_explain(app, action);
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  add_exec(app, action, cut_trailing(arguments));
  if (argc > 1 && argv[1][0] != '-' && !has_command(app, argv[1])) {
    return fail(usage, "no such command: " + std::string(argv[1]) + "; `tapedeck --help` lists them");
  }
  try {
    std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 takes
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    action = nullptr;
    return app.exit(error, std::cout, std::cerr) == 0 ? fine : usage;
  }
  return fine;
}

}  // namespace

int run(int argc, const char* const* argv) {
  // A reader that has gone ("| head") is an error of the write, not a signal.
  std::signal(SIGPIPE, SIG_IGN);
  Action action;
  const int status = parse(argc, argv, action);
  return action ? run_action(action) : status;
}

}  // namespace tapedeck::cli
