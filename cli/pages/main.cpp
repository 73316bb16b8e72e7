// tapedeck_pages FOLDER: writes the man pages for cmake --install and reference.md for docs/.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "base/text.h"
#include "cli/arguments/help_text.h"
#include "cli/command_tree.h"
#include "cli/console/exit_status.h"

namespace tapedeck::cli {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

/// Escapes lines of text for roff.
std::string roff(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::string line(base::take_until(text, '\n'));
    base::replace_all(line, "\\", "\\e");
    base::replace_all(line, "-", "\\-");
    out += (line.starts_with('.') || line.starts_with('\'') ? "\\&" : "") + line + "\n";
  }
  return out;
}

/// Returns a man page with the text of --help-all, for a command and the commands nested in it.
std::string man_page(const Command& command) {
  constexpr std::size_t width = 72;
  std::string name = command.full_name();
  std::replace(name.begin(), name.end(), ' ', '-');
  std::string help = full_help(command, width);
  if (command.parent != nullptr) {
    for (const auto& nested : command.commands) help += "\n" + full_help(*nested, width);
  }
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(), base::upper);
  base::replace_all(name, "-", "\\-");
  std::string page = ".TH " + title + " 1 \"\" \"tapedeck " TAPEDECK_VERSION "\" \"Tapedeck\"\n.SH NAME\n" + name +
                     " \\- " + roff(command.summary) + ".SH DESCRIPTION\n.nf\n" + roff(help) + ".fi\n.SH EXIT STATUS\n";
  for (const auto& [status, text] : exit_statuses) {
    page += ".TP\n.B " + std::to_string(status) + "\n" + roff(text);
  }
  return command.parent == nullptr ? page : page + ".SH SEE ALSO\n.BR tapedeck (1)\n";
}

/// Escapes text for a table cell.
std::string table_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string code(const std::string& text) { return "`" + table_cell(text) + "`"; }

std::string help_cell(const Command& command, const Option& option) {
  const std::string exclusions = exclusion_text(command, option);
  return option_text(option, false) + (exclusions.empty() ? "" : ". " + exclusions);
}

std::string examples_of(const Command& command) {
  std::string lines;
  for (const Example& example : command.examples) lines += "- " + example.purpose + ": `" + example.line + "`\n";
  return lines.empty() ? "" : lines + "\n";
}

std::string heading(const Command& command) {
  std::string line = command.full_name();
  if (!command.commands.empty()) return "### `" + line + " COMMAND`\n\n";
  line += " [options]";
  for (const Option* one : command.arguments()) {
    line += " " + (one->is_required ? one->value : "[" + one->value + "]");
  }
  if (command.trailing != nullptr) line += " -- COMMAND ...";
  return "### `" + line + "`\n\n";
}

std::string option_rows(const Command& command, const std::string& group) {
  std::string rows;
  for (const Option* one : command.options_in(group)) {
    rows += "| " + code(option_name(*one)) + " | " + table_cell(help_cell(command, *one)) + " | " +
            table_cell(one->default_text) + " |\n";
  }
  return rows;
}

std::string argument_rows(const Command& command) {
  std::string rows;
  for (const Option* one : command.arguments()) {
    rows += "| " + code(option_name(*one)) + " | " + table_cell(option_text(*one)) + " | |\n";
  }
  return rows;
}

std::string table(const std::string& first_column, const std::string& rows) {
  return rows.empty() ? "" : "| " + first_column + " | meaning | default |\n|---|---|---|\n" + rows + "\n";
}

/// Maps the text of a table of options to the name of the first command that has it.
using Tables = std::map<std::string, std::string>;

/// Returns the options of a group. A group that several commands share is printed once.
std::string group_of_options(const Command& command, const std::string& group, Tables& tables) {
  std::string text = table(group, option_rows(command, group));
  if (text.empty()) return text;
  const auto [first, is_new] = tables.try_emplace(std::move(text), command.full_name());
  return is_new ? first->first : group + ": the same options as for `" + first->second + "`.\n\n";
}

std::string section(const Command& command, Tables& tables) {
  std::string text = heading(command) + command.summary + ".\n\n";
  if (!command.details.empty()) text += wrapped(command.details, 0, 120) + "\n\n";
  text += examples_of(command);
  const std::string arguments = argument_rows(command);
  text += table(arguments.empty() ? "option" : "argument, option", arguments + option_rows(command, "Options"));
  for (const std::string& group : command.groups()) {
    if (group != "Options") text += group_of_options(command, group, tables);
  }
  for (const auto& nested : command.commands) text += section(*nested, tables);
  return text;
}

/// Returns Markdown: every command by its group, with all its arguments and options.
std::string reference_page(const Command& program) {
  std::string page =
      "# Reference\n\nEvery command with all its options, generated from the program by `script/reference`. The man "
      "pages "
      "and\n`tapedeck COMMAND --help-all` contain the same text.\n\n";
  page += table("option of every command", option_rows(*program.commands.front(), standard_group));
  std::string group;
  Tables tables;
  for (const auto& command : program.commands) {
    if (command->group != group) page += "## " + (group = command->group) + "\n\n";
    page += section(*command, tables);
  }
  page += "## Exit status\n\n| status | meaning |\n|---|---|\n";
  for (const auto& [status, text] : exit_statuses) page += "| " + std::to_string(status) + " | " + text + " |\n";
  return page;
}

void write_pages(const std::filesystem::path& folder) {
  const auto tree = command_tree();
  std::filesystem::remove_all(folder / "man1");  // may have pages of commands that are gone
  write(folder / "man1/tapedeck.1", man_page(*tree));
  for (const auto& command : tree->commands) {
    write(folder / "man1" / ("tapedeck-" + command->name + ".1"), man_page(*command));
  }
  write(folder / "reference.md", reference_page(*tree));
}

}  // namespace
}  // namespace tapedeck::cli

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: tapedeck_pages FOLDER\n";
    return 2;
  }
  try {
    tapedeck::cli::write_pages(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "tapedeck_pages: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
