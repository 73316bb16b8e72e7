#pragma once
// What ends a server: signals, and the end of the process that started it.

#include <functional>

#include "http/io/event_loop.h"

namespace tapedeck::cli {

class Command;

struct EndingOptions {
  bool with_parent = false;
  bool with_stdin = false;
};

void add_ending_options(Command& command, EndingOptions& options);

/// Calls `end` on the loop for SIGINT, SIGTERM and SIGHUP; the last one not under `nohup`, which ignores it.
void end_on_signals(http::EventLoop& loop, const std::function<void()>& end);

/// Calls `end` on the loop, once for each, when the parent process has gone and when standard input has ended, if
/// `options` asks for that. A pipe is the most reliable sign of life: the kernel closes its other end however the
/// process that holds it ends, and a thread that ends can close it, too.
void end_with_starter(http::EventLoop& loop, const EndingOptions& options, const std::function<void()>& end);

}  // namespace tapedeck::cli
