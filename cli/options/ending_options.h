#pragma once
// What ends a server besides signals.

namespace tapedeck::cli {

class Command;

struct EndingOptions {
  bool with_parent = false;
  bool with_stdin = false;
};

void add_ending_options(Command& command, EndingOptions& options);

}  // namespace tapedeck::cli
