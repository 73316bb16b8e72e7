#include "cli/pages/man_page.h"

#include <algorithm>
#include <cctype>

#include "cli/help/help_text.h"
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

std::string synopsis(const Command& command) {
  std::string line = ".B tapedeck " + roff(called(command)) + "\n[\\fIOPTION\\fR]...";
  for (const Option* one : command.arguments()) {
    const std::string name = "\\fI" + roff(one->value) + "\\fR";
    line += " " + (one->is_required ? name : "[" + name + "]");
  }
  if (!command.trailing.empty()) line += " " + roff(command.trailing);
  return line + "\n";
}

std::string full_text(const Command& command, const Option& option) {
  const std::string exclusions = exclusion_text(command, option);
  return option_text(option) + "." + (exclusions.empty() ? "" : " " + exclusions);
}

/// A line for each command that it has in turn, or its own.
std::string synopses(const Command& command) {
  std::string section = ".SH SYNOPSIS\n" + (command.commands.empty() ? synopsis(command) : std::string());
  for (const auto& one : command.commands) section += (one == command.commands.front() ? "" : ".br\n") + synopsis(*one);
  return section;
}

std::string option_rows(const Command& command, const std::string& group) {
  std::string rows;
  for (const Option* one : command.options_in(group)) {
    rows += ".TP\n.B " + roff(option_name(*one)) + "\n" + roff(full_text(command, *one)) + "\n";
  }
  return rows;
}

/// Arguments, and options by group.
std::string nested_section(const Command& command) {
  std::string section = ".SS " + roff(called(command)) + "\n" + roff(command.summary) + ".\n";
  for (const Option* one : command.arguments()) {
    section += ".TP\n.I " + roff(option_name(*one)) + "\n" + roff(full_text(command, *one)) + "\n";
  }
  for (const std::string& group : command.groups()) section += option_rows(command, group);
  return section;
}

}  // namespace

std::string man_page(const Command& program) {
  std::string page = title("tapedeck") + ".SH NAME\ntapedeck \\- record a storage device's Web API, and replay it\n" +
                     ".SH SYNOPSIS\n.B tapedeck\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.SH DESCRIPTION\n" +
                     roff(program.summary) + ".\n.SH COMMANDS\n";
  std::string group;
  for (const auto& command : program.commands) {
    if (command->group != group) page += ".SS " + roff(group = command->group) + "\n";
    page += ".TP\n.B " + roff(command->name) + "\n" + roff(command->summary) + ". See \\fBtapedeck\\-" +
            roff(command->name) + "\\fR(1).\n";
  }
  return page + exit_status();
}

std::string man_page_of_command(const Command& command) {
  const std::string name = "tapedeck-" + command.name;
  std::string page = title(name) + ".SH NAME\n" + roff(name) + " \\- " + roff(lower_first(command.summary)) + "\n" +
                     synopses(command) + ".SH DESCRIPTION\n" + roff(command.summary) + ".\n";
  if (!command.details.empty()) page += ".PP\n" + roff(command.details) + "\n";
  for (const Option* one : command.arguments()) {
    page += ".TP\n.I " + roff(option_name(*one)) + "\n" + roff(full_text(command, *one)) + "\n";
  }
  if (!command.commands.empty()) page += ".SH COMMANDS\n";
  for (const auto& one : command.commands) page += nested_section(*one);
  page += ".SH OPTIONS\n";
  for (const std::string& group : command.groups()) {
    const std::string rows = option_rows(command, group);
    if (rows.empty()) continue;
    if (group != "Options") page += ".SS " + roff(group) + "\n";
    page += rows;
  }
  return page + exit_status() + ".SH SEE ALSO\n.BR tapedeck (1)\n";
}

}  // namespace tapedeck::cli
