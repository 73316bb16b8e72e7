#pragma once
// Logs: one line each on standard error, through spdlog.

namespace tapedeck::cli {

/// "2026-11-20T10:53:25Z info  message" on standard error; colours on a terminal.
void set_up_log();

}  // namespace tapedeck::cli
