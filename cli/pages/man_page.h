#pragma once
// Man pages out of the tree of commands, so that they say what --help says.

#include <CLI/CLI.hpp>
#include <string>

namespace tapedeck::cli {

/// tapedeck(1): all commands by their groups.
[[nodiscard]] std::string man_page(const CLI::App& program);
/// tapedeck-record(1) and the others: one command with all its options.
[[nodiscard]] std::string man_page_of_command(const CLI::App& command);

}  // namespace tapedeck::cli
