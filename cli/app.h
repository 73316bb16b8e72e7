#pragma once
// Declares the entry point of the command line.

namespace tapedeck::cli {

/// Parses the command line, runs one subcommand, and returns the exit status of the process. Does not throw.
[[nodiscard]] int run(int argc, const char* const* argv);

}  // namespace tapedeck::cli
