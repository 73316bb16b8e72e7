#include "cli/arguments/parser.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/shell_word.h"
#include "base/suggestion.h"
#include "base/text.h"
#include "cli/arguments/help_text.h"
#include "cli/console/usage_error.h"

namespace tapedeck::cli {
namespace {

std::string all_options_hint(const Command& command) {
  return "`" + command.full_name() + " --help-all` shows all options";
}

[[noreturn]] void refuse(const Command& command, const std::string& message) {
  throw UsageError(message, all_options_hint(command));
}

[[noreturn]] void refuse_with_usage(const Command& command, const std::string& message) {
  throw UsageError(message, "usage: " + usage_of(command));
}

/// Splits words into options, values, and commands with CLI11. The destinations interpret the values.
class Splitter {
 public:
  explicit Splitter(const Command& program) { describe(program, app_); }

  [[nodiscard]] const Command& split(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());  // the order that CLI11 requires
    try {
      app_.parse(std::move(words));
    } catch (const CLI::ArgumentMismatch& error) {
      refuse_missing_value(error.what());
    } catch (const CLI::ParseError& error) {
      refuse(chosen(), error.what());
    }
    return chosen();
  }
  [[nodiscard]] std::vector<std::string> values(const Option& option) const { return options_.at(&option)->results(); }
  /// Returns the words that are left over. CLI11 also returns the `--` that ends the options.
  [[nodiscard]] std::vector<std::string> left_over() const {
    std::vector<std::string> words = app_.remaining(true);
    std::erase(words, "--");
    return words;
  }

 private:
  void describe(const Command& command, CLI::App& app) {
    app.set_help_flag("");
    app.allow_extras();
    commands_[&app] = &command;
    for (const Option& option : command.options) options_[&option] = add(option, app);
    for (const auto& nested : command.commands) describe(*nested, *app.add_subcommand(nested->name));
  }

  CLI::Option* add(const Option& option, CLI::App& app) {
    if (option.is_flag() || option.has_optional_value()) return app.add_flag(joined(option.names));
    const auto unread = [](const CLI::results_t&) { return true; };
    CLI::Option* added = option.is_argument() ? app.add_option("argument" + std::to_string(options_.size()), unread)
                                              : app.add_option(joined(option.names), unread);
    if (option.is_argument() && option.destination.repeatable)
      added->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
    return added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  static std::string joined(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
    return list;
  }

  [[nodiscard]] const Command& chosen() const {
    const CLI::App* app = &app_;
    while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
    return *commands_.at(app);
  }

  /// Reports a missing value. CLI11 writes "--cors: 1 required ORIGIN missing".
  [[noreturn]] void refuse_missing_value(const std::string& said) const {
    const Command& command = chosen();
    for (const Option& option : command.options) {
      if (option.has_name(said.substr(0, said.find(':')))) {
        throw UsageError(option.name() + " requires a value: " + option.value);
      }
    }
    refuse(command, said);
  }

  CLI::App app_;
  std::map<const CLI::App*, const Command*> commands_;
  std::map<const Option*, CLI::Option*> options_;
};

std::vector<std::string> long_options(const Command& command) {
  std::vector<std::string> names;
  for (const Option* option : command.named_options()) {
    if (option->name().starts_with("--")) names.push_back(option->name());
  }
  return names;
}

/// Returns true if the option is named like the argument, such as "--cassette" for CASSETTE.
bool is_named_after(const std::string& option, const Option& argument) {
  const std::string name = base::fold(argument.value.substr(0, argument.value.find_first_of(" |")));
  return option == "--" + name || option == "--" + name + "s";
}

/// Names that options have in other tools or had in earlier versions, and the option to use instead.
constexpr std::pair<std::string_view, const char*> other_options[] = {
    {"--api", "--call"},
    {"--body-limit", "--max-request-body"},
    {"--bind-address", "--listen"},
    {"--cursors", "--position"},
    {"--host", "--listen"},
    {"--max-body", "--max-response-body"},
    {"--method", "--call"},
    {"--output", "--out"},
    {"--port", "--listen"},
    {"--record", "--mode"},
    {"--target", "--device"},
    {"--ui", "--page"},
    {"--upstream", "--device"},
};

/// Returns the option of the command that the user probably meant, or an empty text.
std::string meant_option(const Command& command, const std::string& option) {
  for (const auto& [name, instead] : other_options) {
    if (name == option && command.named(instead) != nullptr) return instead;
  }
  return base::nearest(option, long_options(command));
}

[[noreturn]] void refuse_unexpected(const Command& command, const std::string& word) {
  const std::string option = word.substr(0, word.find('='));
  if (!word.starts_with('-')) {
    if (command.commands.empty()) refuse_with_usage(command, "unexpected argument `" + word + "`");
    const std::string meant = base::nearest(word, command.command_names());
    const std::string message = "unknown command `" + command.full_name() + " " + word + "`";
    if (meant.empty()) refuse(command, message);
    throw UsageError(message, "did you mean `" + meant + "`?");
  }
  for (const Option* one : command.arguments()) {
    if (is_named_after(option, *one)) {
      refuse_with_usage(command, "unknown option " + option + ": " + one->value + " is an argument");
    }
  }
  const std::string message = "unknown option " + option + " for `" + command.full_name() + "`";
  const std::string meant = meant_option(command, option);
  if (meant.empty()) throw UnknownOption(message, all_options_hint(command), option);
  throw UsageError(message, "did you mean `" + meant + "`?");
}

void store(const Option& option, const std::vector<std::string>& values) {
  const bool takes_last = option.is_flag() || option.has_optional_value();
  if (values.size() > 1 && !option.destination.repeatable && !takes_last) {
    throw UsageError(option.name() + " is given more than once");
  }
  for (const std::string& value : values) {
    const auto why = option.destination.take(value);
    if (why) throw UsageError("invalid value `" + value + "` for " + option.name() + ": " + *why);
  }
}

using Given = std::vector<const Option*>;

bool has(const Given& given, const std::string& name) {
  return std::any_of(given.begin(), given.end(), [&name](const Option* option) { return option->has_name(name); });
}

void check_company(const Option& option, const Given& given) {
  for (const std::string& other : option.excludes) {
    if (has(given, other)) throw UsageError(option.name() + " cannot be used with " + other);
  }
  for (const std::string& other : option.needs) {
    if (!has(given, other)) throw UsageError(option.name() + " requires " + other);
  }
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

/// Throws UsageError if a cassette's place has something that is none, and the hint can say where it belongs.
void check_cassette(const Command& command, const std::string& value, const std::vector<std::string>& others) {
  constexpr std::array<std::string_view, 3> imported = {".har", ".jsonl", ".zip"};
  if (value.find("://") != std::string::npos) {
    throw UsageError(value + " is a URL, not a cassette", "usage: " + usage_of(command));
  }
  for (const std::string_view ending : imported) {
    if (!value.ends_with(ending)) continue;
    throw UsageError(value + " is not a cassette",
                     "`tapedeck import -o NAME.cassette " + base::shell_word(value) + "` makes one of it");
  }
  if (is_file(value) || std::none_of(others.begin(), others.end(), is_file)) return;
  throw UsageError("the arguments are swapped: " + value + " is not a file", "usage: " + usage_of(command));
}

/// Checks the arguments called CASSETTE. `values` returns the values of an argument.
void check_cassettes(const Command& command, const std::function<std::vector<std::string>(const Option&)>& values) {
  std::vector<std::string> cassettes, others;
  for (const Option* argument : command.arguments()) {
    auto& list = argument->value.starts_with("CASSETTE") ? cassettes : others;
    for (std::string& value : values(*argument)) list.push_back(std::move(value));
  }
  for (const std::string& cassette : cassettes) check_cassette(command, cassette, others);
}

void check_given(const Command& command, const Given& given) {
  for (const Option* option : given) check_company(*option, given);
  for (const Option& option : command.options) {
    if (!option.is_required || std::find(given.begin(), given.end(), &option) != given.end()) continue;
    refuse_with_usage(command, option.is_argument()
                                   ? "missing argument " + option.value.substr(0, option.value.find(' '))
                                   : "missing option " + option.name() + " " + option.value);
  }
  if (command.commands.empty()) return;
  throw UsageError("missing command after `" + command.full_name() + "`",
                   "`" + command.full_name() + " --help` lists the commands");
}

/// Removes and returns the words after the first "--", if the first word names a command that runs them.
std::vector<std::string> cut_trailing(const Command& program, std::vector<std::string>& words) {
  const Command* const first = words.empty() ? nullptr : program.nested(words.front());
  if (first == nullptr || first->trailing == nullptr) return {};
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return {};
  std::vector<std::string> trailing(dashes + 1, words.end());
  words.erase(dashes, words.end());
  return trailing;
}

}  // namespace

Parsed parse(const Command& program, std::vector<std::string> words) {
  std::vector<std::string> trailing = cut_trailing(program, words);
  Splitter splitter(program);
  const Command& command = splitter.split(std::move(words));
  // These may also stand before the command.
  for (const Command* one : {&program, &command}) {
    for (const Option* option : one->standard_options()) {
      if (!option->is_help() || splitter.values(*option).empty()) continue;
      return {&command, option->has_name("--help") ? Parsed::Help::common : Parsed::Help::all};
    }
  }
  if (&command != &program) {
    for (const Option* option : program.standard_options()) store(*option, splitter.values(*option));
  }
  if (const auto left = splitter.left_over(); !left.empty()) refuse_unexpected(command, left.front());
  Given given;
  for (const Option& option : command.options) {
    const std::vector<std::string> values = splitter.values(option);
    if (!values.empty()) given.push_back(&option);
    store(option, values);
  }
  if (command.trailing != nullptr) *command.trailing = std::move(trailing);
  check_cassettes(command, [&](const Option& option) { return splitter.values(option); });
  check_given(command, given);
  return {&command, Parsed::Help::none};
}

}  // namespace tapedeck::cli
