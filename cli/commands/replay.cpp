// tapedeck replay: serves responses from cassettes without a device.

#include <iostream>

#include "api/scope_name.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/commands/simulated_nas.h"
#include "cli/console/exit_status.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "cli/running/ending.h"
#include "cli/running/replay_run.h"
#include "replay/replay_handler.h"

namespace tapedeck::cli {
namespace {

struct ReplayServerOptions : ReplayCommandOptions {
  EndingOptions ending;
};

void print_end(ReplayRun& run) {
  const replay::ReplayStats stats = run.handler().stats();
  std::cout << counts_line(stats) << '\n';
  if (stats.out_of_order > 0) std::cout << "responses out of order: " << stats.out_of_order << '\n';
  if (stats.out_of_scope > 0) std::cout << "responses from another scope or none: " << stats.out_of_scope << '\n';
  if (stats.account_guesses > 0) {
    std::cout << "responses that may belong to another account: " << stats.account_guesses << '\n';
  }
  if (stats.other_messages > 0) std::cout << "messages of clients that differ: " << stats.other_messages << '\n';
  if (stats.past_end > 0) std::cout << "responses past the end of a sequence: " << stats.past_end << '\n';
  for (const std::string& line : unused_overlays(run.handler().overlays())) {
    std::cout << "unused overlay: " << printable(line) << '\n';
  }
  std::cout << std::flush;
}

void print_uses(std::string_view what, const std::vector<replay::SequenceUse>& uses) {
  for (const replay::SequenceUse& use : uses) {
    std::cout << fmt::format("{}: {} ({} of {}){}\n", what, printable(use.key), use.played, use.recordings,
                             use.scope.empty() ? "" : " in scope " + printable(api::shown_scope(use.scope)));
  }
}

int replay(ReplayServerOptions& options) {
  // Test helpers end with their standard input, and start this without a cassette for built-in responses.
  if (options.replay.cassettes.empty() && !options.ending.with_stdin) {
    options.replay.simulated_device = simulated_nas_overlays();
    options.replay.effects = true;
  }
  const Strict& strict = options.strict;
  ReplayRun run(options, "replay");
  const auto shut_down = [&run] { run.shut_down(); };
  end_on_signals(run.server().main_loop(), shut_down);
  end_with_starter(run.server().main_loop(), options.ending, shut_down);
  run.announce();
  run.serve();
  print_end(run);
  if (run.is_damaged()) return run_failed;
  const bool looks_left = strict.has("unused") || strict.has("unfinished");
  const ReplayRun::Unplayed left = looks_left ? run.unplayed() : ReplayRun::Unplayed();
  if (strict.has("unused")) print_uses("unused", left.unused);
  if (strict.has("unfinished")) print_uses("unfinished", left.unfinished);
  return strict.is_broken(run.event_counts(left)) ? incomplete : fine;
}

}  // namespace

void add_replay(Command& program) {
  auto [command, options] = program.command("replay", "Serve recorded responses without the device", replay);
  command.argument("CASSETTE ...", into(options.replay.cassettes), "Cassettes, searched in this order");
  add_ending_options(command, options.ending);
  add_replay_options(command, options);
  command.details =
      std::string(
          "Without a cassette, it serves a simulated NAS, in which writes change reads, or with --exit-with-stdin only "
          "built-in responses. Any account and password can log in. "
          "The header X-Tapedeck-Outcome says where each response comes from.") +
      strict_sentence();
  command.common = {"--listen", "--overlay", "--scope",  "--position", "--at-end", "--ignore",
                    "--auth",   "--delay",   "--strict", "--config",   "--cors",   "--page"};
  command.examples = {{"Serve a cassette at http://127.0.0.1:8080", "tapedeck replay nas.cassette"},
                      {"Exit with status 3 if a request was a miss", "tapedeck replay --strict=miss nas.cassette"}};
}

}  // namespace tapedeck::cli
