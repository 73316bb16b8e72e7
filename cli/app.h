#pragma once
// Declares the entry point of the command line.

namespace tapedeck::cli {

/// Exit statuses of the program.
enum ExitStatus : int {
  fine = 0,
  run_failed = 1,
  usage = 2,  ///< wrong usage, or a cassette that cannot be used
  incomplete =
      3,  ///< finished with findings: not everything was stored, a secret was found, or an event of --strict occurred
};

/// Parses the command line, runs one subcommand, and returns the exit status of the process. Does not throw.
[[nodiscard]] int run(int argc, const char* const* argv);

}  // namespace tapedeck::cli
