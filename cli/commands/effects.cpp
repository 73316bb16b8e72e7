// tapedeck effects: lists the built-in effects, or suggests effects for a recording.

#include <iostream>

#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "replay/effects/effect.h"
#include "replay/effects/suggestions.h"

namespace tapedeck::cli {
namespace {

int effects(const std::string& cassette) {
  if (cassette.empty()) {
    std::cout << replay::builtin_effects_toml();
    return fine;
  }
  const std::string text = replay::suggested_effects_toml(cassettes::CassetteReader(cassette));
  std::cout << printable(text, true);
  if (text.empty()) log::info("{} shows no effects of writes", printable(cassette));
  return fine;
}

}  // namespace

void add_effects(Command& program) {
  auto [command, cassette] =
      program.command("effects", "Print the built-in effects, or suggest effects from a recording", effects);
  command.argument("CASSETTE", into(cassette), "Suggest the effects that this cassette shows");
  command.details =
      "Prints blocks for an overlay file. Without a cassette, prints the effects that --effects switches on. With a "
      "cassette, prints an effect for each write whose parameters appear in a later response and not in an earlier "
      "one; "
      "a comment names the interactions. To use the effects, pass the file with --overlay.";
  command.examples = {{"List the built-in effects", "tapedeck effects"},
                      {"Start an overlay file from a recording", "tapedeck effects nas.cassette > state.toml"}};
}

}  // namespace tapedeck::cli
