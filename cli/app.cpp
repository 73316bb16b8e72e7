#include "cli/app.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iostream>
#include <new>
#include <streambuf>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/suggestion.h"
#include "base/system.h"
#include "base/text.h"
#include "cassettes/file/cassette_error.h"
#include "cli/arguments/command.h"
#include "cli/arguments/help_text.h"
#include "cli/arguments/parser.h"
#include "cli/command_tree.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/version.h"

namespace tapedeck::cli {
namespace {

/// Collects the completions that start with a prefix.
class Offers {
 public:
  explicit Offers(std::string_view prefix) : prefix_(prefix) {}
  void add(std::string_view word, std::string_view description) {
    if (word.starts_with(prefix_)) lines_.append(word).append("\t").append(description).append("\n");
  }
  void add_commands(const Command& command) {
    for (const auto& nested : command.commands) add(nested->name, nested->summary);
  }
  void add_options(const std::vector<const Option*>& options) {
    for (const Option* option : options) {
      if (option->name().starts_with("--")) add(option->name(), option->help);
    }
  }
  [[nodiscard]] const std::string& lines() const { return lines_; }

 private:
  const std::string_view prefix_;
  std::string lines_;
};

/// Returns the possible values of an option.
std::string values_of(const Option& option, std::string_view prefix) {
  std::string_view words = option.value;
  if (words == "FILE" || words == "PATH" || words == "DIR") return ":files\n";
  Offers offers(prefix);
  if (words.find('|') == std::string_view::npos) return {};
  while (!words.empty()) offers.add(base::take_until(words, '|'), option.name());
  return offers.lines();
}

/// Returns the completions for the last of `words`, one a line: a word, a tab, and a description. `words` are those
/// after the program's name, and the last one may be empty. Two lines are instructions for the shell script instead:
/// ":files" requests file names, and ":command N" requests the completions of the program that word N of the command
/// line names, where word 0 is Tapedeck itself.
std::string completions(const Command& program, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const auto dashes = std::find(words.begin(), words.end() - 1, "--");
  if (dashes != words.end() - 1) return ":command " + std::to_string(dashes - words.begin() + 2) + "\n";
  const std::string& word = words.back();
  Offers offers(word);
  if (words.size() == 1) {
    offers.add_commands(program);
    offers.add_options(program.standard_options());
    offers.add_options(program.named_options());
    return offers.lines();
  }
  const Command* command = program.nested(words.front());
  if (command == nullptr) return {};
  const std::vector<const Option*> options = all_options_of(*command);
  for (const Option* option : options) {
    const bool takes_value = !option->is_flag() && !option->has_optional_value();
    if (takes_value && option->has_name(words[words.size() - 2])) return values_of(*option, word);
  }
  if (word.starts_with('-')) {
    offers.add_options(options);
    return offers.lines();
  }
  return ":files\n";
}

/// Returns `message` with the absolute paths of files that `arguments` name replaced by the paths as the user wrote
/// them.
std::string as_given(std::string message, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const std::filesystem::path given(argument.substr(argument.starts_with('-') ? argument.find('=') + 1 : 0));
    if (given.is_absolute() || !given.has_filename()) continue;
    std::error_code error;
    const auto folder = std::filesystem::canonical(given.has_parent_path() ? given.parent_path() : ".", error);
    if (!error) base::replace_all(message, (folder / given.filename()).string(), given.string());
  }
  return message;
}

/// Prints "tapedeck: MESSAGE", and the message's hint on its own line. Returns `status`.
int fail(ExitStatus status, const std::string& message) {
  constexpr std::string_view hint = "\nhint: ";
  const std::size_t end = message.find(hint);
  std::cerr << "tapedeck: " << printable(message.substr(0, end)) << '\n';
  if (end != std::string::npos) std::cerr << hint.substr(1) << printable(message.substr(end + hint.size())) << '\n';
  return status;
}

/// Opens the standard descriptors that were closed at the start. Otherwise the next opened file would get such a
/// number, and log lines would be written to it. The replacements refuse reading or writing, as closed descriptors do.
void fill_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is `number`, so open() returns it.
    static_cast<void>(open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

/// Standard output that records the reason of a failed write, which a stream does not keep.
class Output : public std::streambuf {
 public:
  Output() : under_(std::cout.rdbuf(this)) {}
  ~Output() override { std::cout.rdbuf(under_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Returns run_failed if output was lost, because then the command did not do its work, and otherwise `status`. A
  /// reader that stops early ("| head") is not a failure.
  int with_output(int status) {
    std::cout.flush();
    if (reason_ == 0 || reason_ == EPIPE || status != fine) return status;
    return fail(run_failed, "cannot write to standard output: " + std::generic_category().message(reason_));
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

/// Reports that the system denied memory or a thread, because of a limit (`ulimit -v`) or because memory is full.
int fail_for_room() {
  return fail(run_failed, "out of memory or threads\nhint: raise the limits (ulimit -v, ulimit -u)");
}

/// Runs `action` and reports the exceptions that it throws. `arguments` are the words of the command line.
int guarded(const std::function<int()>& action, const std::vector<std::string>& arguments) {
  const auto said = [&arguments](const std::exception& error) { return as_given(error.what(), arguments); };
  try {
    return action();
  } catch (const std::invalid_argument& error) {  // also UsageError
    return fail(usage, said(error));
  } catch (const cassettes::CassetteError& error) {
    return fail(error.kind() == cassettes::CassetteError::Kind::io ? run_failed : usage, said(error));
  } catch (const std::bad_alloc&) {
    return fail_for_room();
  } catch (const std::system_error& error) {
    return error.code() == std::errc::resource_unavailable_try_again ? fail_for_room() : fail(run_failed, said(error));
  } catch (const std::exception& error) {
    return fail(run_failed, said(error));
  }
}

std::size_t help_width() {
  constexpr std::size_t usual_width = 100;
  const std::size_t width = terminal_width();
  return width == 0 ? usual_width : width;
}

/// Turns "help COMMAND" and "--help COMMAND" into "COMMAND --help".
void expand_help(std::vector<std::string>& arguments) {
  std::string& first = arguments.front();
  if (first == "help") first = "--help";
  const bool is_help = first == "--help" || first == "-h" || first == "--help-all";
  if (is_help && arguments.size() > 1 && !arguments[1].starts_with('-')) std::swap(first, arguments[1]);
}

/// Words that are no commands, but that users of earlier versions or of other tools try, and what to use instead.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"effects", "overlay --effects"},
    {"hash", "info --hash"},
    {"pick", "export -o FILE.cassette"},
    {"play", "replay"},
    {"prune", "rm"},
    {"rules", "scrub --rules"},
    {"scope", "edit --rename"},
    {"serve", "replay"},
    {"set", "edit --set"},
    {"stats", "info --calls"},
    {"verify", "diff"},
    {"version", "--version"},
};

/// Throws UsageError if `word` is not a command.
void check_command(const std::string& word) {
  const std::vector<std::string> commands = command_names();
  if (word.starts_with('-') || std::find(commands.begin(), commands.end(), word) != commands.end()) return;
  for (const auto& [name, instead] : other_names) {
    if (name == word) throw UsageError(fmt::format("unknown command `{}`: use `tapedeck {}`", word, instead));
  }
  const std::string meant = base::nearest(word, commands);
  throw UsageError("unknown command `" + word + "`",
                   meant.empty() ? "`tapedeck --help` lists the commands" : "did you mean `" + meant + "`?");
}

/// Throws the error with a hint that names the other commands that have the option, if there are only a few.
[[noreturn]] void refuse(const UnknownOption& error) {
  constexpr std::size_t most = 4;
  std::vector<std::string> names;
  const auto program = command_tree();
  for (const auto& command : program->commands) {
    const auto options = all_options_of(*command);
    const auto is_it = [&](const Option* option) { return option->has_name(error.option); };
    if (std::any_of(options.begin(), options.end(), is_it)) names.push_back("`tapedeck " + command->name + "`");
  }
  if (names.empty() || names.size() > most) throw UnknownOption(error);
  throw UsageError(error.message, error.option + " is an option of " + fmt::format("{}", fmt::join(names, ", ")));
}

int run_command_line(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    std::cerr << short_help(*command_tree(), help_width());
    return usage;
  }
  expand_help(arguments);
  const std::string first = arguments.front();
  if (first == "--version" || first == "-V") {
    std::cout << version_text() << '\n';
    return fine;
  }
  if (first == "--complete") {  // for the completions of shells
    arguments.erase(arguments.begin());
    std::cout << completions(*command_tree(), arguments);
    return fine;
  }
  check_command(first);
  const auto program = command_tree(first.starts_with('-') ? std::string() : first);
  Parsed parsed;
  try {
    parsed = parse(*program, std::move(arguments));
  } catch (const UnknownOption& error) {
    refuse(error);
  }
  switch (parsed.help) {
    case Parsed::Help::none:
      return parsed.command->action();
    case Parsed::Help::common:
      std::cout << short_help(*parsed.command, help_width());
      break;
    case Parsed::Help::all:
      std::cout << full_help(*parsed.command, help_width());
      break;
  }
  return fine;
}

}  // namespace

int run(int argc, const char* const* argv) {
  // If the reader of a pipe has exited ("| head"), a write must fail with an error instead of a signal.
  std::signal(SIGPIPE, SIG_IGN);
  base::set_started_as(argc > 0 ? argv[0] : "");
  fill_standard_descriptors();
  Output output;
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  return output.with_output(guarded([&arguments] { return run_command_line(arguments); }, arguments));
}

}  // namespace tapedeck::cli
