#pragma once
// Completions for shells out of the tree of commands: commands, options, words that an option takes, and files.

#include <CLI/CLI.hpp>
#include <string>

namespace tapedeck::cli {

[[nodiscard]] std::string bash_completion(const CLI::App& program);
[[nodiscard]] std::string zsh_completion(const CLI::App& program);
[[nodiscard]] std::string fish_completion(const CLI::App& program);

}  // namespace tapedeck::cli
