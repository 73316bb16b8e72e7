#include "cli/help/help_formatter.h"

#include <algorithm>

namespace tapedeck::cli {
namespace {

constexpr std::size_t least_width = 60;
constexpr std::size_t text_column = 30;

}  // namespace

HelpFormatter::HelpFormatter(std::size_t width) : width_(std::max(width, least_width)) {
  label("Positionals", "Arguments");
}

std::string HelpFormatter::make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const {
  return make_description(command) + make_usage(command, std::move(name)) + make_positionals(command) +
         option_groups(*command) + make_subcommands(command, mode) + "\n" + make_footer(command);
}

/// CLI11's own puts two empty lines between them.
std::string HelpFormatter::option_groups(const CLI::App& command) const {
  std::string text;
  for (const std::string& group : command.get_groups()) {
    const auto options = command.get_options(
        [&group](const CLI::Option* option) { return option->nonpositional() && option->get_group() == group; });
    if (!options.empty()) text += make_group(group, false, options);
  }
  return text;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return row(option_name(*option, is_positional), option_text(*option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return row(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_description(const CLI::App* command) const {
  return wrapped(command->get_description(), 0, width_) + "\n";
}

std::string HelpFormatter::make_usage(const CLI::App* command, std::string name) const {
  std::string text = "Usage: " + (name.empty() ? command->get_name() : name) + " [OPTIONS]";
  for (const CLI::Option* option : command->get_options([](const CLI::Option* one) { return one->get_positional(); })) {
    const std::string shown = option_name(*option, true);
    text += option->get_required() ? " " + shown : " [" + shown + "]";
  }
  if (!command->get_subcommands({}).empty()) text += " COMMAND";
  return text + "\n";
}

std::string HelpFormatter::make_footer(const CLI::App* command) const {
  const std::string text = command->get_footer();
  return text.empty() ? "" : wrapped(text, 0, width_) + "\n";
}

std::string HelpFormatter::row(const std::string& name, const std::string& text) const {
  std::string line = "  " + name;
  line += line.size() + 2 > text_column ? "\n" + std::string(text_column, ' ')
                                        : std::string(text_column - line.size(), ' ');
  return line + wrapped(text, text_column, width_ - text_column) + "\n";
}

std::string option_name(const CLI::Option& option, bool is_positional) {
  if (is_positional) return option.get_type_name();
  std::string name = option.get_name(false, true);
  if (option.get_type_size() != 0 && !option.get_type_name().empty()) name += " " + option.get_type_name();
  return name;
}

std::string option_text(const CLI::Option& option, bool with_default) {
  std::string text = option.get_description();
  if (option.nonpositional() && option.get_expected_max() > 1) text += "; may be given again";
  for (const CLI::Option* other : option.get_excludes()) text += "; not with " + other->get_name();
  if (with_default && !option.get_default_str().empty()) text += " [" + option.get_default_str() + "]";
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
