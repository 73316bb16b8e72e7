#include "cli/help/help_text.h"

#include <algorithm>

namespace tapedeck::cli {
namespace {

constexpr std::size_t least_width = 60;
constexpr std::size_t text_column = 30;

std::string row(const std::string& name, const std::string& text, std::size_t width) {
  std::string line = "  " + name;
  line += line.size() + 2 > text_column ? "\n" + std::string(text_column, ' ')
                                        : std::string(text_column - line.size(), ' ');
  return line + wrapped(text, text_column, width - text_column) + "\n";
}

std::string usage_line(const Command& command) {
  std::string text = "Usage: " + command.full_name() + " [OPTIONS]";
  for (const Option* argument : command.arguments()) {
    const std::string shown = option_name(*argument);
    text += argument->is_required ? " " + shown : " [" + shown + "]";
  }
  if (!command.commands.empty()) text += " COMMAND";
  return text + "\n";
}

std::string option_section(const Command& command, const std::string& heading,
                           const std::vector<const Option*>& options, std::size_t width) {
  if (options.empty()) return {};
  std::string text = "\n" + heading + ":\n";
  for (const Option* option : options) text += row(option_name(*option), option_text(command, *option), width);
  return text;
}

std::string command_sections(const Command& command, std::size_t width) {
  std::string text, group;
  for (const auto& nested : command.commands) {
    const std::string heading = nested->group.empty() ? "Subcommands" : nested->group;
    if (heading != group) text += "\n" + (group = heading) + ":\n";
    text += row(nested->name, nested->summary, width);
  }
  return text;
}

}  // namespace

std::string help_text(const Command& command, std::size_t terminal_width) {
  const std::size_t width = std::max(terminal_width, least_width);
  std::string text = wrapped(command.summary, 0, width) + "\n" + usage_line(command);
  text += option_section(command, "Arguments", command.arguments(), width);
  for (const std::string& group : command.groups()) {
    text += option_section(command, group, command.options_in(group), width);
  }
  text += command_sections(command, width) + "\n";
  return command.details.empty() ? text : text + wrapped(command.details, 0, width) + "\n";
}

std::string option_name(const Option& option) {
  if (option.is_argument()) return option.value;
  std::string name;
  for (const std::string& one : option.names) name += (name.empty() ? "" : ",") + one;
  return option.is_flag() ? name : name + " " + option.value;
}

std::string option_text(const Command& command, const Option& option, bool with_default) {
  std::string text = option.help;
  if (!option.is_argument() && option.destination.repeatable) text += "; may be given again";
  for (const std::string& other : command.excluded_with(option)) text += "; not with " + other;
  if (with_default && !option.default_text.empty()) text += " [" + option.default_text + "]";
  return text;
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
