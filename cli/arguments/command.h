#pragma once
// The command line as data. The parser, --help, the man pages, the completions, and docs/reference.md all read it.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tapedeck::cli {

/// Where the value of an option goes; values.h makes them.
struct Destination {
  /// Stores one value. Returns what the option takes instead when it does not take this one.
  std::function<std::optional<std::string>(const std::string& value)> take;
  std::string initial;      ///< the variable before parsing, as text
  std::string words;        ///< "all|new|once" when there are no other values
  bool repeatable = false;  ///< each time it is given adds a value
};

/// One option or positional argument. The setters return the option itself.
struct Option {
  std::vector<std::string> names;  ///< "-o", "--out"; none for an argument
  std::string value;               ///< "SIZE", "old|new", "[=LIST]"; empty for a flag
  std::string help;
  std::string group;  ///< heading in the help
  std::string default_text;
  std::vector<std::string> excludes, needs;  ///< names of other options
  Destination destination;
  bool is_required = false;

  Option& required();
  /// Shows the value that the variable has now, or `text`, as the default.
  Option& show_default();
  Option& show_default(std::string text);
  Option& exclude(std::vector<std::string> others);
  Option& need(std::string other);

  [[nodiscard]] bool is_argument() const { return names.empty(); }
  [[nodiscard]] bool is_flag() const { return value.empty(); }
  /// True for "--strict[=LIST]": a value follows only after "=".
  [[nodiscard]] bool has_optional_value() const { return value.starts_with("[="); }
  /// The long name if it has one; of an argument the name of its value.
  [[nodiscard]] const std::string& name() const { return is_argument() ? value : names.back(); }
  [[nodiscard]] bool has_name(const std::string& name) const;
  [[nodiscard]] bool is_help() const { return has_name("--help") || has_name("--help-all"); }
};

struct Example {
  std::string purpose;  ///< "Record everything until Ctrl-C"
  std::string line;
};

/// A command with its options in the order of its help. Every command has -h,--help and --help-all.
class Command {
 public:
  Command(std::string name, std::string summary);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  std::string name, summary;
  std::string details;   ///< sentences for --help-all, below the options
  std::string trailing;  ///< what follows all arguments, "-- COMMAND ..."
  std::vector<Example> examples;
  /// Names of the options, or of the nested commands, that --help shows; all of them when it is empty.
  std::vector<std::string> common;
  std::string group;                ///< heading in the help of the parent
  std::string heading = "Options";  ///< group of the options that are added next
  std::function<int()> action;      ///< runs the command and returns the exit status
  std::deque<Option> options;
  std::vector<std::unique_ptr<Command>> commands;
  const Command* parent = nullptr;

  Option& argument(std::string value, Destination destination, std::string help);
  /// `names` is "--out" or "-o,--out".
  Option& option(const std::string& names, std::string value, Destination destination, std::string help);
  /// An option whose value is one of the words of its destination.
  Option& choice(const std::string& names, Destination destination, std::string help);
  Option& flag(const std::string& names, bool& variable, std::string help);
  Command& command(std::string name, std::string summary);

  /// "tapedeck overlay check".
  [[nodiscard]] std::string full_name() const;
  [[nodiscard]] std::vector<const Option*> arguments() const;
  /// Everything but the arguments and the help options.
  [[nodiscard]] std::vector<const Option*> named_options() const;
  [[nodiscard]] std::vector<const Option*> options_in(const std::string& group) const;
  /// In the order of their first option.
  [[nodiscard]] std::vector<std::string> groups() const;
  /// The help options, which every command has.
  [[nodiscard]] std::vector<const Option*> help_options() const;
  /// Names of the options that exclude `option` or are excluded by it.
  [[nodiscard]] std::vector<std::string> excluded_with(const Option& option) const;
  [[nodiscard]] std::vector<std::string> command_names() const;
};

/// Returns the options of a command and of the commands nested in it.
[[nodiscard]] std::vector<const Option*> all_options_of(const Command& command);

/// Puts the options that are added during its lifetime under a heading.
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
