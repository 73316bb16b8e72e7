#pragma once
// What is wrong with a command line, in a person's words.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tapedeck::cli {

/// One line: which option or argument lacks what, or does not take its value. `error` came of parsing for `command`.
[[nodiscard]] std::string mistake(const CLI::App& command, const CLI::ParseError& error);

/// `message` with the cassettes and files of `arguments` called as they were given, and not by their full paths.
[[nodiscard]] std::string as_given(std::string message, const std::vector<std::string>& arguments);

}  // namespace tapedeck::cli
