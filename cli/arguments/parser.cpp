#include "cli/arguments/parser.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "cli/arguments/help_text.h"
#include "cli/arguments/suggestion.h"
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

/// Splits words into commands, options, and their values. The destinations interpret the values.
class Splitter {
 public:
  Splitter(const Command& program, const std::vector<std::string>& words) : command_(&program), words_(words) {
    bool options_end = false;
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (!options_end && word == "--") {
        options_end = true;
        if (command_->trailing != nullptr) {
          trailing_.assign(words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end());
          return;
        }
      } else if (!options_end && looks_like_option(word)) {
        take_option(word);
      } else if (const Command* const nested = options_end ? nullptr : command_->nested(word)) {
        command_ = nested;
      } else {
        take_argument(word);
      }
    }
  }

  [[nodiscard]] const Command& command() const { return *command_; }
  [[nodiscard]] std::vector<std::string> values(const Option& option) const {
    const auto found = values_.find(&option);
    return found == values_.end() ? std::vector<std::string>() : found->second;
  }
  /// Returns the words of the command line to run.
  [[nodiscard]] const std::vector<std::string>& trailing() const { return trailing_; }
  /// Returns the words that belong to no option and no argument.
  [[nodiscard]] const std::vector<std::string>& left_over() const { return left_over_; }

 private:
  /// Returns false for "-", which is standard input, and for "-1".
  static bool looks_like_option(const std::string& word) {
    return word.size() > 1 && word.front() == '-' && !base::is_digit(word[1]);
  }

  void take_option(const std::string& word) {
    const bool is_short = !word.starts_with("--");
    const std::size_t end = std::min(is_short ? 2 : word.find('='), word.size());
    const Option* const option = command_->named(word.substr(0, end));
    if (option == nullptr) return left_over_.push_back(word);
    std::string rest = word.substr(end);
    const bool takes_none = option->is_flag() || option->has_optional_value();
    std::vector<std::string>& values = values_[option];
    if (rest.starts_with('=')) return values.push_back(rest.substr(1));
    if (takes_none) {
      values.emplace_back("true");
      if (!rest.empty()) take_option("-" + rest);  // "-Fi" is "-F -i"
    } else if (!rest.empty()) {
      values.push_back(std::move(rest));
    } else if (next_ < words_.size() && !looks_like_option(words_[next_])) {
      values.push_back(words_[next_++]);
    } else {
      throw UsageError(option->name() + " requires a value: " + option->value);
    }
  }

  void take_argument(const std::string& word) {
    for (const Option* argument : command_->arguments()) {
      std::vector<std::string>& values = values_[argument];
      if (values.empty() || argument->destination.repeatable) return values.push_back(word);
    }
    left_over_.push_back(word);
  }

  const Command* command_;
  const std::vector<std::string>& words_;
  std::size_t next_ = 0;
  std::map<const Option*, std::vector<std::string>> values_;
  std::vector<std::string> trailing_, left_over_;
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

[[noreturn]] void refuse_unexpected(const Command& command, const std::string& word) {
  const std::string option = word.substr(0, word.find('='));
  if (!word.starts_with('-')) {
    if (command.commands.empty()) refuse_with_usage(command, "unexpected argument `" + word + "`");
    const std::string meant = nearest(word, command.command_names());
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
  const std::string meant = nearest(option, long_options(command));
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

}  // namespace

Parsed parse(const Command& program, const std::vector<std::string>& words) {
  const Splitter splitter(program, words);
  const Command& command = splitter.command();
  for (const Option* option : command.help_options()) {
    if (splitter.values(*option).empty()) continue;
    return {&command, option->has_name("--help") ? Parsed::Help::common : Parsed::Help::all};
  }
  if (const auto left = splitter.left_over(); !left.empty()) refuse_unexpected(command, left.front());
  Given given;
  for (const Option& option : command.options) {
    const std::vector<std::string> values = splitter.values(option);
    if (!values.empty()) given.push_back(&option);
    store(option, values);
  }
  if (command.trailing != nullptr) *command.trailing = splitter.trailing();
  check_given(command, given);
  return {&command, Parsed::Help::none};
}

}  // namespace tapedeck::cli
