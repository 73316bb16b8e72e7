#pragma once
// Ends a server after a signal, or when the process that started it ends.

#include <functional>

#include "http/io/event_loop.h"

namespace tapedeck::cli {

class Command;

struct EndingOptions {
  bool with_stdin = false;
};

void add_ending_options(Command& command, EndingOptions& options);

/// Calls `end` on the loop after SIGINT, SIGTERM, or SIGHUP. Ignores SIGHUP under `nohup`.
void end_on_signals(http::EventLoop& loop, const std::function<void()>& end);

/// Calls `end` on the loop when standard input ends, if `options` selects that. A pipe is the most reliable sign that
/// the process that started this one has ended: the kernel closes its other end in any case.
void end_with_starter(http::EventLoop& loop, const EndingOptions& options, const std::function<void()>& end);

}  // namespace tapedeck::cli
