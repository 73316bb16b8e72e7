#include "cli/arguments/parser.h"

#include <algorithm>
#include <map>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/help/suggestion.h"
#include "cli/usage_error.h"

namespace tapedeck::cli {
namespace {

[[noreturn]] void refuse(const Command& command, const std::string& message) {
  throw UsageError(message + "; `" + command.full_name() + " --help` lists what there is");
}

/// Splits words into options, values, and commands by CLI11. What the values mean is for the destinations.
class Splitter {
 public:
  explicit Splitter(const Command& program) { describe(program, app_); }

  [[nodiscard]] const Command& split(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());  // the order that CLI11 takes
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
  [[nodiscard]] std::vector<std::string> left_over() const { return app_.remaining(true); }

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
      added->expected(1, CLI::detail::expected_max_vector_size);
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

  /// CLI11 writes "--cors: 1 required ORIGIN missing".
  [[noreturn]] void refuse_missing_value(const std::string& said) const {
    const Command& command = chosen();
    for (const Option& option : command.options) {
      if (option.has_name(said.substr(0, said.find(':')))) refuse(command, option.name() + " needs " + option.value);
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

/// True for "--cassette" where CASSETTE is an argument.
bool is_named_after(const std::string& option, const Option& argument) {
  const std::string name = base::fold(argument.value.substr(0, argument.value.find_first_of(" |")));
  return option == "--" + name || option == "--" + name + "s";
}

[[noreturn]] void refuse_unexpected(const Command& command, const std::string& word) {
  const std::string option = word.substr(0, word.find('='));
  if (!word.starts_with('-')) {
    refuse(command, command.name + " does not take `" + word + "`" + did_you_mean(word, command.command_names()));
  }
  for (const Option* one : command.arguments()) {
    if (!is_named_after(option, *one)) continue;
    refuse(command, "no such option: " + option + "; " + one->value + " is given without one");
  }
  refuse(command, "no such option: " + option + did_you_mean(option, long_options(command)));
}

void store(const Command& command, const Option& option, const std::vector<std::string>& values) {
  const bool takes_last = option.is_flag() || option.has_optional_value();
  if (values.size() > 1 && !option.destination.repeatable && !takes_last) {
    refuse(command, option.name() + " is given twice");
  }
  for (const std::string& value : values) {
    const auto why = option.destination.take(value);
    if (!why) continue;
    refuse(command, (option.is_argument() ? command.name : option.name()) + " does not take `" + value + "`: " + *why);
  }
}

void check_company(const Command& command, const Option& option, const std::vector<std::string>& given) {
  const auto is_given = [&given](const std::string& name) {
    return std::find(given.begin(), given.end(), name) != given.end();
  };
  for (const std::string& other : option.excludes) {
    if (is_given(other)) refuse(command, option.name() + " excludes " + other);
  }
  for (const std::string& other : option.needs) {
    if (!is_given(other)) refuse(command, option.name() + " requires " + other);
  }
}

std::string listed(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

}  // namespace

Parsed parse(const Command& program, std::vector<std::string> words) {
  Splitter splitter(program);
  const Command& command = splitter.split(std::move(words));
  if (!splitter.values(command.options.front()).empty()) return {&command, true};
  if (const auto left = splitter.left_over(); !left.empty()) refuse_unexpected(command, left.front());
  std::vector<std::string> given;
  for (const Option& option : command.options) {
    const std::vector<std::string> values = splitter.values(option);
    if (!values.empty()) given.push_back(option.name());
    store(command, option, values);
  }
  for (const Option& option : command.options) {
    const bool is_given = std::find(given.begin(), given.end(), option.name()) != given.end();
    if (option.is_required && !is_given) {
      const std::string value = option.is_argument() || option.value.empty() ? "" : " " + option.value;
      refuse(command, command.name + " needs " + option.name() + value);
    }
    if (is_given) check_company(command, option, given);
  }
  if (!command.commands.empty()) refuse(command, command.name + " needs one of " + listed(command.command_names()));
  return {&command, false};
}

}  // namespace tapedeck::cli
