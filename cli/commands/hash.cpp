// tapedeck hash: prints a hash that is equal for equal content.

#include <iostream>

#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/content_hash.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/reports/cassette_text.h"

namespace tapedeck::cli {
namespace {

int hash(const std::string& path) {
  std::cout << cassettes::content_hash(open_cassette(path)) << "  " << printable(path) << '\n';
  return fine;
}

}  // namespace

void add_hash(Command& program) {
  auto [command, path] = program.command("hash", "Print a hash of a cassette's content", hash);
  command.argument("CASSETTE", into(path), "Cassette to read").required();
  command.details =
      "The hash covers requests, responses, their order, and redactions. It does not cover times and program versions, "
      "so equal recordings have equal hashes on every machine.";
  command.examples = {{"Print the hash of a cassette", "tapedeck hash nas.cassette"},
                      {"Compare two cassettes by their hashes", "tapedeck hash a.cassette; tapedeck hash b.cassette"}};
}

}  // namespace tapedeck::cli
