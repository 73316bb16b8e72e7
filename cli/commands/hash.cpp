// tapedeck hash: one line that is equal for equal content.

#include <iostream>
#include <memory>

#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/content_hash.h"
#include "cli/app.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/reports/cassette_text.h"
#include "cli/terminal.h"

namespace tapedeck::cli {

void add_hash(Command& program) {
  auto path = std::make_shared<std::string>();
  Command& command = program.command("hash", "Print a hash of a cassette's content, equal on every machine");
  command.argument("CASSETTE", into(*path), "The cassette").required();
  command.details =
      "Content is requests, answers, their order and what was replaced; times and program versions do not count.";
  command.action = [path] {
    const cassettes::CassetteReader reader(*path);
    warn_about(reader.info(), *path);
    std::cout << cassettes::content_hash(reader) << "  " << printable(*path) << '\n';
    return fine;
  };
}

}  // namespace tapedeck::cli
