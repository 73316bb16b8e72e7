// tapedeck hash: one line that is equal for equal content.

#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/content_hash.h"
#include "cli/app.h"
#include "cli/command.h"
#include "cli/reports/cassette_text.h"
#include "cli/terminal.h"

namespace tapedeck::cli {

void add_hash(CLI::App& app, Action& action) {
  auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("hash", "Print a hash of a cassette's content, equal on every machine");
  command->add_option("cassette", *path, "The cassette")->type_name("CASSETTE")->required();
  command->footer(
      "Content is requests, answers, their order and what was replaced; times and program versions do not count.");
  command->callback([path, &action] {
    action = [path] {
      const cassettes::CassetteReader reader(*path);
      warn_about(reader.info(), *path);
      std::cout << cassettes::content_hash(reader) << "  " << printable(*path) << '\n';
      return fine;
    };
  });
}

}  // namespace tapedeck::cli
