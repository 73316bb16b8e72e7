#include "cli/arguments/help_text.h"

#include <algorithm>

namespace tapedeck::cli {
namespace {

constexpr std::size_t least_width = 60;
constexpr std::size_t text_column = 30, summary_column = 13;

std::string row(const std::string& name, const std::string& text, std::size_t width, std::size_t column = text_column) {
  std::string line = "  " + name;
  line += line.size() + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - line.size(), ' ');
  return line + wrapped(text, column, width - column) + "\n";
}

std::string option_section(const std::string& heading, const std::vector<const Option*>& options, std::size_t width) {
  if (options.empty()) return {};
  std::string text = "\n" + heading + ":\n";
  for (const Option* option : options) text += row(option_name(*option), option_text(*option), width);
  return text;
}

std::string command_rows(const Command& command, std::size_t width) {
  std::string text;
  for (const auto& nested : command.commands) text += row(nested->name, nested->summary, width, summary_column);
  return text;
}

/// Lists the commands in so few lines that they fit on a screen of 80 by 24 characters, with a line for the prompt.
std::string command_list(const Command& program, std::size_t width) {
  return wrapped(program.summary + ".", 0, width) + "\nUsage: " + usage_of(program) + "\n" +
         command_rows(program, width) + "`" + program.full_name() + " COMMAND --help` shows its options, `" +
         program.full_name() + " --version` the version.\n";
}

/// Returns the options that --help shows, in the order of Command::common.
std::vector<const Option*> common_options(const Command& command) {
  if (command.common.empty()) return command.named_options();
  std::vector<const Option*> options;
  for (const std::string& name : command.common) options.push_back(command.named(name));
  return options;
}

std::string head_of(const Command& command, std::size_t width) {
  return wrapped(command.summary + ".", 0, width) + "\n\nUsage: " + usage_of(command) + "\n" +
         option_section("Arguments", command.arguments(), width);
}

std::string examples_of(const Command& command) {
  if (command.examples.empty()) return {};
  std::string text = "\nExamples:\n";
  for (const Example& example : command.examples) text += "  " + example.purpose + ":\n    " + example.line + "\n";
  return text;
}

std::string details_of(const Command& command, std::size_t width) {
  return command.details.empty() ? "" : "\n" + wrapped(command.details, 0, width) + "\n";
}

}  // namespace

std::string short_help(const Command& command, std::size_t terminal_width) {
  const std::size_t width = std::max(terminal_width, least_width);
  if (!command.commands.empty()) return command_list(command, width);
  std::vector<const Option*> options = common_options(command);
  for (const Option* option : command.standard_options()) {
    if (option->is_help()) options.push_back(option);
  }
  const std::string pointer = "\n`" + command.full_name() + " --help-all` shows all options.\n";
  return head_of(command, width) + option_section("Options", options, width) + examples_of(command) +
         (command.common.empty() ? details_of(command, width) : pointer);
}

std::string full_help(const Command& command, std::size_t terminal_width) {
  const std::size_t width = std::max(terminal_width, least_width);
  const std::string commands = command_rows(command, width);
  std::string text = head_of(command, width) + (commands.empty() ? "" : "\nCommands:\n" + commands);
  for (const std::string& group : command.groups()) {
    text += option_section(group, command.options_in(group), width);
  }
  return text + option_section(standard_group, command.standard_options(), width) + examples_of(command) +
         details_of(command, width);
}

std::string usage_of(const Command& command) {
  std::string text = command.full_name() + (command.commands.empty() ? "" : " COMMAND") + " [OPTIONS]";
  for (const Option* option : command.named_options()) {
    if (option->is_required) text += " " + option->name() + " " + option->value;
  }
  for (const Option* argument : command.arguments()) {
    text += argument->is_required ? " " + argument->value : " [" + argument->value + "]";
  }
  return command.trailing == nullptr ? text : text + " -- COMMAND ...";
}

std::string option_name(const Option& option) {
  if (option.is_argument()) return option.value;
  std::string name;
  for (const std::string& one : option.names) name += (name.empty() ? "" : ", ") + one;
  if (option.is_flag()) return name;
  return option.has_optional_value() ? name + option.value : name + " " + option.value;
}

std::string option_text(const Option& option, bool with_default) {
  std::string text = option.help;
  if (!option.is_argument() && option.destination.repeatable) text += " (repeatable)";
  if (with_default && !option.default_text.empty()) text += " [default: " + option.default_text + "]";
  return text;
}

std::string exclusion_text(const Command& command, const Option& option) {
  std::string names;
  for (const std::string& other : command.excluded_with(option)) names += (names.empty() ? "" : ", ") + other;
  return names.empty() ? "" : "Cannot be used with " + names + ".";
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  while (text.size() > width) {
    std::size_t end = text.rfind(' ', width);
    if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
    out.append(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!text.empty()) out += "\n" + std::string(indent, ' ');
  }
  return out.append(text);
}

}  // namespace tapedeck::cli
