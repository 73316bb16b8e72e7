// tapedeck replay: serves responses from cassettes without a device.

#include <chrono>
#include <iostream>

#include "api/scope_name.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "cli/running/ending.h"
#include "cli/running/replay_run.h"
#include "replay/replay_handler.h"

namespace tapedeck::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct ReplayServerOptions : ReplayCommandOptions {
  EndingOptions ending;
  bool goes_on = false, stays = false;  ///< --watch, --no-watch
  double idle_exit = 0;                 ///< seconds; 0: never
};

void print_end(ReplayRun& run) {
  const replay::ReplayStats stats = run.handler().stats();
  std::cout << counts_line(stats) << '\n';
  if (stats.out_of_order > 0) std::cout << "responses out of order: " << stats.out_of_order << '\n';
  if (stats.out_of_scope > 0) std::cout << "responses from another scope or none: " << stats.out_of_scope << '\n';
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

/// Ends the run when no request, including those for files of --serve, was read for that long.
void exit_when_idle(ReplayRun& run, double seconds) {
  const auto most = std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(seconds));
  const auto period =
      std::max(milliseconds(10), std::min(milliseconds(500), milliseconds(std::int64_t(seconds * 250))));
  run.server().main_loop().every(
      period, [&run, most, last = run.server().listener().stats().requests, since = steady_clock::now()]() mutable {
        const auto requests = run.server().listener().stats().requests;
        if (requests != std::exchange(last, requests)) since = steady_clock::now();
        if (steady_clock::now() - since < most) return true;
        log::info("stopping: no request within the time of --idle-exit");
        run.shut_down();
        return false;
      });
}

int replay(ReplayServerOptions& options) {
  options.watches = !options.stays;
  const Strict& strict = options.strict;
  ReplayRun run(options, "replay");
  const auto shut_down = [&run] { run.shut_down(); };
  end_on_signals(run.server().main_loop(), shut_down);
  end_with_starter(run.server().main_loop(), options.ending, shut_down);
  if (options.idle_exit > 0) exit_when_idle(run, options.idle_exit);
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
  command.option("--idle-exit", "SECONDS", real_number(options.idle_exit, 0.05, 86'400),
                 "Stop after this time without a request");
  command.flag("--watch", options.goes_on, "Reload cassettes that are replaced on disk; this is the default");
  command.flag("--no-watch", options.stays, "Do not reload cassettes").exclude({"--watch"});
  add_replay_options(command, options);
  command.details = std::string(
                        "Without a cassette, only built-in responses are served. Any account and password can log in. "
                        "The header X-Tapedeck-Outcome says where each response comes from.") +
                    strict_sentence();
  command.common = {"--listen", "--overlay", "--scope",  "--cursors", "--at-end", "--ignore",
                    "--auth",   "--delay",   "--strict", "--config",  "--cors",   "--ui"};
  command.examples = {{"Serve a cassette at http://127.0.0.1:8080", "tapedeck replay nas.cassette"},
                      {"Exit with status 3 if a request was a miss", "tapedeck replay --strict=miss nas.cassette"}};
}

}  // namespace tapedeck::cli
