// tapedeck_pages FOLDER: writes the man pages for cmake --install and reference.md for docs/.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/text.h"
#include "cli/arguments/help_text.h"
#include "cli/command_tree.h"
#include "cli/pages/reference.h"

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
  for (const auto& [status, text] : exit_statuses()) {
    page += ".TP\n.B " + std::to_string(status) + "\n" + roff(text);
  }
  return command.parent == nullptr ? page : page + ".SH SEE ALSO\n.BR tapedeck (1)\n";
}

void write_pages(const std::filesystem::path& folder) {
  const auto tree = command_tree({});
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
