#pragma once
// docs/reference.md out of the tree of commands, so that it says what --help says.

#include <CLI/CLI.hpp>
#include <string>

namespace tapedeck::cli {

/// Markdown: every command by its group, with all its arguments and options.
[[nodiscard]] std::string reference_page(const CLI::App& program);

}  // namespace tapedeck::cli
