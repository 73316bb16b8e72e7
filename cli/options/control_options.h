#pragma once
// The options for the journal and the control API, for every command that runs a server.

#include <string>

namespace tapedeck::cli {

class Command;

struct ControlOptions {
  std::string control;  ///< HOST:PORT; empty: no control API
  std::string journal;  ///< path of the journal file; empty: no file
  bool ui = false;      ///< serve the inspector page on the control port, or on a free port without --control
  bool open = false;    ///< also open the page in the desktop's browser
};

void add_control_options(Command& command, ControlOptions& options);

[[nodiscard]] bool wants_page(const ControlOptions& options);
/// Returns true if the control API is served, for itself or for the page.
[[nodiscard]] bool wants_control(const ControlOptions& options);

}  // namespace tapedeck::cli
