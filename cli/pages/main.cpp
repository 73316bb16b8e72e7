// tapedeck_pages FOLDER: writes man pages and completions there, for cmake --install, and reference.md, for docs/.

#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/command_tree.h"
#include "cli/pages/completions.h"
#include "cli/pages/man_page.h"
#include "cli/pages/reference.h"

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: tapedeck_pages FOLDER\n";
    return 2;
  }
  try {
    const std::filesystem::path folder = argv[1];
    const auto tree = tapedeck::cli::command_tree({});
    write(folder / "man1/tapedeck.1", tapedeck::cli::man_page(*tree));
    for (const auto& command : tree->commands) {
      write(folder / "man1" / ("tapedeck-" + command->name + ".1"), tapedeck::cli::man_page_of_command(*command));
    }
    write(folder / "bash/tapedeck", tapedeck::cli::bash_completion(*tree));
    write(folder / "zsh/_tapedeck", tapedeck::cli::zsh_completion(*tree));
    write(folder / "reference.md", tapedeck::cli::reference_page(*tree));
    write(folder / "fish/tapedeck.fish", tapedeck::cli::fish_completion(*tree));
  } catch (const std::exception& error) {
    std::cerr << "tapedeck_pages: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
