#pragma once

namespace tapedeck::cli {

/// Exit statuses of the program.
enum ExitStatus : int {
  fine = 0,
  run_failed = 1,
  usage = 2,  ///< wrong usage, or a cassette that cannot be used
  incomplete =
      3,  ///< finished with findings: not everything was stored, a secret was found, or an event of --strict occurred
};

}  // namespace tapedeck::cli
