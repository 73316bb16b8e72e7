#include "cli/pages/reference.h"

#include <map>
#include <utility>

#include "cli/arguments/help_text.h"
#include "cli/console/exit_status.h"

namespace tapedeck::cli {
namespace {

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
  if (!command.trailing.empty()) line += " " + command.trailing;
  return "### `" + line + "`\n\n";
}

std::string option_rows(const Command& command, const std::string& group) {
  std::string rows;
  for (const Option* one : command.options_in(group)) {
    if (one->is_help()) continue;
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

}  // namespace

const std::vector<std::pair<int, const char*>>& exit_statuses() {
  static const std::vector<std::pair<int, const char*>> statuses = {
      {fine, "Success."},
      {run_failed,
       "The run failed, for example because a port is in use, the disk is full, or a recording cannot be finished."},
      {usage, "The command line is wrong, or a cassette cannot be used."},
      {incomplete,
       "The run finished, but something was not stored, a secret was found, cassettes differ, or a --strict "
       "condition was met."},
  };
  return statuses;
}

std::string reference_page(const Command& program) {
  std::string page =
      "# Reference\n\nEvery command with all its options, generated from the program by `script/reference`. The man "
      "pages "
      "and\n`tapedeck COMMAND --help-all` contain the same text.\n\n";
  std::string group;
  Tables tables;
  for (const auto& command : program.commands) {
    if (command->group != group) page += "## " + (group = command->group) + "\n\n";
    page += section(*command, tables);
  }
  page += "## Exit status\n\n| status | meaning |\n|---|---|\n";
  for (const auto& [status, text] : exit_statuses()) page += "| " + std::to_string(status) + " | " + text + " |\n";
  return page;
}

}  // namespace tapedeck::cli
