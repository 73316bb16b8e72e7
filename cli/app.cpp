#include "cli/app.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace tapedeck::cli {

int run(int argc, const char* const* argv) {
  CLI::App app{"Records the Device Management Web API of a storage device, and replays it."};
  app.set_version_flag("--version", "tapedeck " TAPEDECK_VERSION);
  app.require_subcommand(1);
  try {
    app.parse(argc, argv);
    return fine;
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? fine : usage;
  }
}

}  // namespace tapedeck::cli
