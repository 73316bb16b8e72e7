#pragma once
// Defines the exit statuses of all commands. The man pages and the reference print this table.

namespace tapedeck::cli {

enum ExitStatus : int {
  fine = 0,
  run_failed = 1,
  usage = 2,
  incomplete = 3,
};

struct ExitStatusMeaning {
  ExitStatus status;
  const char* meaning;
};
inline constexpr ExitStatusMeaning exit_statuses[] = {
    {fine, "Success, also after a miss without --strict."},
    {run_failed, "The command failed, `diff` found a difference, or `grep` found nothing."},
    {usage, "The command line is wrong, or a file cannot be used."},
    {incomplete,
     "`scan` found something, `explain` shows a miss, something was not stored, or a --strict condition was met. "
     "`exec` "
     "returns the status of COMMAND, and 3 only if that is 0; `exec --each` returns 3 if a run fails."},
};

}  // namespace tapedeck::cli
