#pragma once
// Logs: one line each on standard error, through spdlog.

namespace tapedeck::cli {

/// "2026-11-20T10:53:25Z info  message" on standard error; colours on a terminal.
void set_up_log();

/// While one lives, lines are gathered; they leave in one write when the last one goes. A terminal gets each at once.
class LogTogether {
 public:
  LogTogether();
  ~LogTogether();
  LogTogether(const LogTogether&) = delete;
  LogTogether& operator=(const LogTogether&) = delete;
};

}  // namespace tapedeck::cli
