#include "cli/pages/man_page.h"

#include <algorithm>
#include <cctype>

#include "cli/help/help_formatter.h"
#include "cli/pages/tree.h"

namespace tapedeck::cli {
namespace {

/// Text as roff takes it.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string title(const std::string& name) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return ".TH " + roff(upper) + " 1 \"\" \"tapedeck " TAPEDECK_VERSION "\" \"Tapedeck\"\n";
}

std::string lower_first(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string exit_status() {
  std::string section = ".SH EXIT STATUS\n";
  for (const auto& [status, text] : exit_statuses()) {
    section += ".TP\n.B " + std::to_string(status) + "\n" + roff(text) + "\n";
  }
  return section;
}

std::string synopsis(const CLI::App& command) {
  std::string line = ".B tapedeck " + roff(called(command)) + "\n[\\fIOPTION\\fR]...";
  for (const CLI::Option* one : arguments_of(command)) {
    const std::string name = "\\fI" + roff(option_name(*one, true)) + "\\fR";
    line += " " + (one->get_required() ? name : "[" + name + "]");
  }
  if (command.get_name() == "exec") line += " \\-\\- \\fICOMMAND\\fR...";
  return line + "\n";
}

/// A line for each command that it has in turn, or its own.
std::string synopses(const CLI::App& command) {
  const auto nested = commands_of(command);
  std::string section = ".SH SYNOPSIS\n" + (nested.empty() ? synopsis(command) : std::string());
  for (const CLI::App* one : nested) section += (one == nested.front() ? "" : ".br\n") + synopsis(*one);
  return section;
}

std::string option_rows(const CLI::App& command, const std::string& group) {
  std::string rows;
  for (const CLI::Option* one : options_of(command, group)) {
    rows += ".TP\n.B " + roff(option_name(*one, false)) + "\n" + roff(option_text(*one)) + ".\n";
  }
  return rows;
}

/// Arguments, and options by group.
std::string nested_section(const CLI::App& command) {
  std::string section = ".SS " + roff(called(command)) + "\n" + roff(command.get_description()) + ".\n";
  for (const CLI::Option* one : arguments_of(command)) {
    section += ".TP\n.I " + roff(option_name(*one, true)) + "\n" + roff(option_text(*one)) + ".\n";
  }
  for (const std::string& group : command.get_groups()) section += option_rows(command, group);
  return section;
}

}  // namespace

std::string man_page(const CLI::App& program) {
  std::string page = title("tapedeck") + ".SH NAME\ntapedeck \\- record a storage device's Web API, and replay it\n" +
                     ".SH SYNOPSIS\n.B tapedeck\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.SH DESCRIPTION\n" +
                     roff(program.get_description()) + "\n.SH COMMANDS\n";
  std::string group;
  for (const CLI::App* command : commands_of(program)) {
    if (command->get_group() != group) page += ".SS " + roff(group = command->get_group()) + "\n";
    page += ".TP\n.B " + roff(command->get_name()) + "\n" + roff(command->get_description()) + ". See \\fBtapedeck\\-" +
            roff(command->get_name()) + "\\fR(1).\n";
  }
  return page + exit_status();
}

std::string man_page_of_command(const CLI::App& command) {
  const std::string name = "tapedeck-" + command.get_name();
  std::string page = title(name) + ".SH NAME\n" + roff(name) + " \\- " + roff(lower_first(command.get_description())) +
                     "\n" + synopses(command) + ".SH DESCRIPTION\n" + roff(command.get_description()) + ".\n";
  if (!command.get_footer().empty()) page += ".PP\n" + roff(command.get_footer()) + "\n";
  for (const CLI::Option* one : arguments_of(command)) {
    page += ".TP\n.I " + roff(option_name(*one, true)) + "\n" + roff(option_text(*one)) + ".\n";
  }
  if (!commands_of(command).empty()) page += ".SH COMMANDS\n";
  for (const CLI::App* one : commands_of(command)) page += nested_section(*one);
  page += ".SH OPTIONS\n";
  for (const std::string& group : command.get_groups()) {
    const std::string rows = option_rows(command, group);
    if (rows.empty()) continue;
    if (group != "Options") page += ".SS " + roff(group) + "\n";
    page += rows;
  }
  return page + exit_status() + ".SH SEE ALSO\n.BR tapedeck (1)\n";
}

}  // namespace tapedeck::cli
