#include "cli/pages/reference.h"

#include "cli/help/help_formatter.h"
#include "cli/pages/tree.h"

namespace tapedeck::cli {
namespace {

/// Text for a cell of a table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string code(const std::string& text) { return "`" + cell(text) + "`"; }

std::string heading(const CLI::App& command) {
  std::string line = "tapedeck " + called(command);
  if (!commands_of(command).empty()) return "### `" + line + " COMMAND`\n\n";
  line += " [options]";
  for (const CLI::Option* one : arguments_of(command)) {
    const std::string name = option_name(*one, true);
    line += " " + (one->get_required() ? name : "[" + name + "]");
  }
  if (command.get_name() == "exec") line += " -- COMMAND ...";
  return "### `" + line + "`\n\n";
}

std::string arguments_table(const CLI::App& command) {
  std::string rows;
  for (const CLI::Option* one : arguments_of(command)) {
    rows += "| " + code(option_name(*one, true)) + " | " + cell(option_text(*one)) + " |\n";
  }
  return rows.empty() ? "" : "| argument | meaning |\n|---|---|\n" + rows + "\n";
}

std::string options_table(const CLI::App& command, const std::string& group) {
  std::string rows;
  for (const CLI::Option* one : options_of(command, group)) {
    if (one->check_lname("help")) continue;
    rows += "| " + code(option_name(*one, false)) + " | " + cell(option_text(*one, false)) + " | " +
            cell(one->get_default_str()) + " |\n";
  }
  const std::string first = group == "Options" ? "option" : group;
  return rows.empty() ? "" : "| " + first + " | meaning | default |\n|---|---|---|\n" + rows + "\n";
}

std::string section(const CLI::App& command) {
  std::string text = heading(command) + command.get_description() + ".\n\n";
  if (!command.get_footer().empty()) text += wrapped(command.get_footer(), 0, 120) + "\n\n";
  text += arguments_table(command);
  for (const std::string& group : command.get_groups()) text += options_table(command, group);
  for (const CLI::App* nested : commands_of(command)) text += section(*nested);
  return text;
}

}  // namespace

std::string reference_page(const CLI::App& program) {
  std::string page =
      "# Reference\n\nEvery command with all its options, written from the program itself by `script/reference`. The "
      "man pages "
      "and\n`tapedeck COMMAND --help` say the same.\n\n";
  std::string group;
  for (const CLI::App* command : commands_of(program)) {
    if (command->get_group() != group) page += "## " + (group = command->get_group()) + "\n\n";
    page += section(*command);
  }
  page += "## Exit status\n\n| status | meaning |\n|---|---|\n";
  for (const auto& [status, text] : exit_statuses()) page += "| " + std::to_string(status) + " | " + text + " |\n";
  return page;
}

}  // namespace tapedeck::cli
