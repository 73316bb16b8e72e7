#pragma once
// Represents the command line as data. The parser, --help, the man pages, the completions, and docs/reference.md all
// use it.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tapedeck::cli {

/// The destination of an option's value. values.h has functions that make one for each type.
struct Destination {
  /// Stores one value. Returns nothing if the value is valid, and otherwise a description of what the option accepts.
  std::function<std::optional<std::string>(const std::string& value)> take;
  std::string initial;      ///< the variable's value before parsing, as text
  std::string words;        ///< the accepted values, as "all|new|once"; empty if other values are also accepted
  bool repeatable = false;  ///< may be given several times; each adds a value
};

/// The group of the options that every command has.
inline constexpr const char* standard_group = "Every command";

/// One option or positional argument. The setters return the option itself.
struct Option {
  std::vector<std::string> names;  ///< "-o", "--out"; empty for a positional argument
  std::string value;               ///< "SIZE", "old|new", "[=LIST]"; empty for a flag
  std::string help;
  std::string group;  ///< heading in the help
  std::string default_text;
  std::vector<std::string> excludes, needs;  ///< names of other options
  Destination destination;
  bool is_required = false;

  Option& required();
  /// Shows the variable's current value, or `text`, as the default in the help.
  Option& show_default();
  Option& show_default(std::string text);
  Option& exclude(std::vector<std::string> others);
  Option& need(std::string other);

  [[nodiscard]] bool is_argument() const { return names.empty(); }
  [[nodiscard]] bool is_flag() const { return value.empty(); }
  /// Returns true for "--strict[=LIST]", whose value must follow an equals sign.
  [[nodiscard]] bool has_optional_value() const { return value.starts_with("[="); }
  /// Returns the long name if there is one, or for a positional argument the name of its value.
  [[nodiscard]] const std::string& name() const { return is_argument() ? value : names.back(); }
  [[nodiscard]] bool has_name(const std::string& name) const;
  [[nodiscard]] bool is_help() const { return has_name("--help") || has_name("--help-all"); }
  [[nodiscard]] bool is_standard() const { return group == standard_group; }
};

struct Example {
  std::string purpose;  ///< the purpose of the example, such as "Record everything until Ctrl-C"
  std::string line;
};

template <class Options>
struct CommandWith;

/// A command with its options, in the order that its help shows them. Every command has
/// the standard options: -h,--help, --help-all, -q,--quiet, and --color.
class Command {
 public:
  Command(std::string name, std::string summary);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  std::string name, summary;
  std::string details;  ///< sentences that --help-all prints below the options
  /// Gets the words after "--", which are the command line to run. Null for other commands.
  std::vector<std::string>* trailing = nullptr;
  std::vector<Example> examples;
  /// Names of the options, or of the nested commands, that --help shows. If empty, it shows all of them.
  std::vector<std::string> common;
  std::string group;                ///< heading in the reference
  std::string heading = "Options";  ///< group of the options that are added next
  std::function<int()> action;      ///< runs the command and returns the exit status
  std::deque<Option> options;
  std::vector<std::unique_ptr<Command>> commands;
  const Command* parent = nullptr;

  Option& argument(std::string value, Destination destination, std::string help);
  /// Adds an option. `names` is "--out" or "-o,--out".
  Option& option(const std::string& names, std::string value, Destination destination, std::string help);
  /// Adds an option that accepts only the words that its destination lists.
  Option& choice(const std::string& names, Destination destination, std::string help);
  Option& flag(const std::string& names, bool& variable, std::string help);
  Command& command(std::string name, std::string summary);
  /// Adds a command that calls `run` with the variables of its options.
  template <class Argument>
  CommandWith<std::remove_cvref_t<Argument>> command(std::string name, std::string summary, int (*run)(Argument));

  /// Returns the name with those of its parents, such as "tapedeck replay".
  [[nodiscard]] std::string full_name() const;
  [[nodiscard]] std::vector<const Option*> arguments() const;
  /// Returns all options but the positional arguments and the standard options.
  [[nodiscard]] std::vector<const Option*> named_options() const;
  [[nodiscard]] std::vector<const Option*> options_in(const std::string& group) const;
  /// Returns the group names in the order of their first option, without standard_group.
  [[nodiscard]] std::vector<std::string> groups() const;
  /// Returns the options that every command has.
  [[nodiscard]] std::vector<const Option*> standard_options() const;
  /// Returns the names of the options that exclude `option` or that it excludes.
  [[nodiscard]] std::vector<std::string> excluded_with(const Option& option) const;
  [[nodiscard]] std::vector<std::string> command_names() const;
  /// Returns the option with that name, or null.
  [[nodiscard]] const Option* named(const std::string& option_name) const;
  /// Returns the nested command with that name, or null.
  [[nodiscard]] const Command* nested(const std::string& command_name) const;
};

/// A new command and the variables of its options.
template <class Options>
struct CommandWith {
  Command& command;
  Options& options;
};

template <class Argument>
CommandWith<std::remove_cvref_t<Argument>> Command::command(std::string name_, std::string summary_,
                                                            int (*run)(Argument)) {
  const auto variables = std::make_shared<std::remove_cvref_t<Argument>>();
  Command& added = command(std::move(name_), std::move(summary_));
  added.action = [variables, run] { return run(*variables); };
  return {added, *variables};
}

/// Returns the standard options and the named options.
[[nodiscard]] std::vector<const Option*> all_options_of(const Command& command);

/// Sets the group of the options that are added during its lifetime.
class Heading {
 public:
  Heading(Command& command, const char* text) : command_(command), before_(command.heading) { command.heading = text; }
  ~Heading() { command_.heading = before_; }
  Heading(const Heading&) = delete;
  Heading& operator=(const Heading&) = delete;

 private:
  Command& command_;
  std::string before_;
};

}  // namespace tapedeck::cli
