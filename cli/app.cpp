#include "cli/app.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iostream>
#include <stdexcept>
#include <streambuf>
#include <system_error>

#include <CLI/CLI.hpp>

#include "cassettes/file/cassette_error.h"
#include "cassettes/file/recording_lock.h"
#include "cassettes/file/sqlite_library.h"
#include "cli/command_tree.h"
#include "cli/help/mistake.h"
#include "cli/help/suggestion.h"
#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

int fail(ExitStatus status, const std::string& message) {
  std::cerr << "tapedeck: " << printable(message) << '\n';
  return status;
}

std::vector<std::string> long_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options([](const CLI::Option* one) { return one->nonpositional(); })) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The innermost: "check" of `overlay check`.
const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

/// "tapedeck overlay check".
std::string whole_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return (parent == nullptr ? "" : whole_name(*parent) + " ") + command.get_name();
}

/// What is wrong, and who tells more.
int fail_usage(const CLI::App& app, const std::string& message) {
  const CLI::App& command = chosen_command(app);
  return fail(usage, message + "; `" + whole_name(command) + " --help` lists what there is");
}

/// What the first word is that nothing takes, and what may have been meant.
int fail_unexpected(const CLI::App& app) {
  const CLI::App& command = chosen_command(app);
  const std::vector<std::string> left = app.remaining(true);
  const std::string word = left.empty() ? "" : left.front();
  const std::string option = word.substr(0, word.find('='));
  if (!word.starts_with('-')) {
    std::vector<std::string> names;
    for (const CLI::App* one : command.get_subcommands({})) names.push_back(one->get_name());
    return fail_usage(app, command.get_name() + " does not take `" + word + "`" + did_you_mean(word, names));
  }
  for (const CLI::Option* one : command.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    if ("--" + one->get_name() != option) continue;
    return fail_usage(app, "no such option: " + option + "; " + one->get_type_name() + " is given without one");
  }
  return fail_usage(app, "no such option: " + option + did_you_mean(option, long_options(command)));
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

/// A descriptor that was closed when we were started would be the next file that we open: our log lines would go into
/// it. What stands in its place refuses what the descriptor is for, as a closed one does.
void fill_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number: this one.
    static_cast<void>(open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

/// Standard output, with why it could not be written: a stream keeps that it could not, and no reason.
class Output : public std::streambuf {
 public:
  Output() : under_(std::cout.rdbuf(this)) {}
  ~Output() override { std::cout.rdbuf(under_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// What is not written was not done. A reader that has seen enough ("| head") is no fault.
  int with_output(int status) {
    std::cout.flush();
    if (reason_ == 0 || reason_ == EPIPE || status != fine) return status;
    return fail(run_failed, "standard output cannot be written: " + std::generic_category().message(reason_));
  }

 protected:
  int_type overflow(int_type letter) override {
    return watched([&] { return under_->sputc(traits_type::to_char_type(letter)); }, traits_type::eof());
  }
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    std::streamsize written = 0;
    watched([&] { return (written = under_->sputn(bytes, count)) == count ? 0 : -1; }, -1);
    return written;
  }
  int sync() override {
    return watched([&] { return under_->pubsync(); }, -1);
  }

 private:
  template <class Write>
  int watched(const Write& write, int failed) {
    errno = 0;
    const int result = write();
    if (result == failed && reason_ == 0) reason_ = errno != 0 ? errno : EIO;
    return result;
  }

  std::streambuf* under_;
  int reason_ = 0;
};

int run_action(const Action& action, const std::vector<std::string>& arguments) {
  const auto said = [&arguments](const std::exception& error) { return as_given(error.what(), arguments); };
  try {
    return action();
  } catch (const UsageError& error) {
    return fail(usage, said(error));
  } catch (const cassettes::CassetteError& error) {
    return fail(error.kind() == cassettes::CassetteError::Kind::io ? run_failed : usage, said(error));
  } catch (const std::exception& error) {
    return fail(run_failed, said(error));
  }
}

/// Sets what the command line asks for; without it the status is all there is to do.
int parse(int argc, const char* const* argv, Action& action) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  constexpr std::size_t usual_width = 100;
  const std::size_t width = terminal_width();
  std::vector<std::string> trailing = cut_trailing(arguments);
  const std::vector<std::string> commands = command_names();
  if (arguments.empty()) {
    return fail(usage, "which command? `tapedeck --help` lists them, and `tapedeck demo` shows the usual ones");
  }
  const std::string first = arguments.front();
  if (!first.starts_with('-') && std::find(commands.begin(), commands.end(), first) == commands.end()) {
    const bool is_option = first == "help" || first == "version";
    const std::string meant = is_option ? " (did you mean `--" + first + "`?)" : did_you_mean(first, commands);
    return fail(usage, "no such command: " + first + meant + "; `tapedeck --help` lists them");
  }
  const std::string only = first.starts_with('-') ? std::string() : first;
  const auto app = command_tree(action, std::move(trailing), width == 0 ? usual_width : width, only);
  try {
    std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 takes
    app->parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    action = nullptr;
    const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
    const bool is_mistyped = code == CLI::ExitCodes::ExtrasError || code == CLI::ExitCodes::RequiredError;
    if (is_mistyped && !app->remaining(true).empty()) return fail_unexpected(*app);
    if (code != CLI::ExitCodes::Success) return fail_usage(*app, mistake(chosen_command(*app), error));
    app->exit(error, std::cout, std::cerr);
  }
  return fine;
}

}  // namespace

int run(int argc, const char* const* argv) {
  // A reader that has gone ("| head") is an error of the write, not a signal.
  std::signal(SIGPIPE, SIG_IGN);
  fill_standard_descriptors();
  Output output;
  cassettes::count_no_memory();
  cassettes::say_who_waits([](const std::string& path) {
    std::cerr << "tapedeck: waiting for " + printable(path) + ": what a killed recorder left is being finished\n";
  });
  Action action;
  const int status = parse(argc, argv, action);
  return output.with_output(action ? run_action(action, {argv + std::min(argc, 1), argv + argc}) : status);
}

}  // namespace tapedeck::cli
