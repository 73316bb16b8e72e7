#pragma once
// The command line as a whole: one file per subcommand adds itself here.

namespace tapedeck::cli {

/// Exit statuses (semantics §5).
enum ExitStatus : int {
  fine = 0,
  run_failed = 1,
  usage = 2,       ///< or a cassette that cannot be used
  incomplete = 3,  ///< finished, but something was not stored, or a learned secret was found, or --strict saw something
};

/// Parses the command line, runs one subcommand and returns the process's exit status. Never throws.
[[nodiscard]] int run(int argc, const char* const* argv);

}  // namespace tapedeck::cli
