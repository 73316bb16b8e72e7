#pragma once
// Ends a server after a signal, or when the process that started it ends.

#include <functional>

#include "http/io/event_loop.h"

namespace tapedeck::cli {

class Command;

struct EndingOptions {
  bool with_parent = false;
  bool with_stdin = false;
};

void add_ending_options(Command& command, EndingOptions& options);

/// Calls `end` on the loop after SIGINT, SIGTERM, or SIGHUP. Ignores SIGHUP under `nohup`.
void end_on_signals(http::EventLoop& loop, const std::function<void()>& end);

/// Calls `end` on the loop when the parent process ends and when standard input ends, once for each that `options`
/// selects. A pipe is the most reliable sign: the kernel closes its other end however the process that owns it ends,
/// and a thread can close it as well.
void end_with_starter(http::EventLoop& loop, const EndingOptions& options, const std::function<void()>& end);

}  // namespace tapedeck::cli
