// tapedeck replay: a server that answers from cassettes, with no device.

#include <csignal>
#include <iostream>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include "cli/app.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/replay_options.h"
#include "cli/terminal.h"
#include "replay/replay_handler.h"

namespace tapedeck::cli {
namespace {

void print_counts(const replay::ReplayStats& stats) {
  std::cout << fmt::format("recorded {}, built in {}, fallbacks {}, misses {} ({} distinct)\n", stats.recorded,
                           stats.builtin, stats.fallback, stats.misses, stats.distinct_misses)
            << std::flush;
}

/// What damage found while serving does: it ends the server, loudly.
class Damage {
 public:
  explicit Damage(Server& server) : server_(server) {}
  void found(const std::string& line) {
    server_.main_loop().post([this, line] {
      spdlog::critical("{}", printable(line));
      seen_ = true;
      server_.shut_down();
    });
  }
  [[nodiscard]] bool seen() const { return seen_; }

 private:
  Server& server_;
  bool seen_ = false;
};

int replay(const ReplayCommandOptions& options) {
  set_up_log();
  Server server(options.server, options.threads);
  Damage damage(server);
  replay::ReplayOptions handling = handler_options(options, server.tls());
  handling.on_notice = [](const std::string& line) { spdlog::warn("{}", printable(line)); };
  handling.on_damage = [&damage](const std::string& line) { damage.found(line); };
  replay::ReplayHandler handler(handling, options.threads);
  for (const std::string& warning : handler.warnings()) spdlog::warn("{}", printable(warning));
  server.set_handler(handler);
  ReadyFile ready;
  server.main_loop().on_signal({SIGINT, SIGTERM}, [&server](int) { server.shut_down(); });
  server.main_loop().post([&] {
    spdlog::info("replaying {} at {}", handling.cassettes.empty() ? "built-in answers" : "recorded answers",
                 server.url());
    ready.write(options.server.ready_file, server.url(), {{"command", "replay"}});
  });
  server.run();
  const replay::ReplayStats stats = handler.stats();
  print_counts(stats);
  if (damage.seen()) return run_failed;
  return options.strict && (stats.misses > 0 || stats.fallback > 0) ? incomplete : fine;
}

}  // namespace

void add_replay(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReplayCommandOptions>();
  CLI::App* command = app.add_subcommand("replay", "Answer from cassettes, with no device");
  command->add_option("cassettes", options->replay.cassettes, "Cassettes, asked in this order; none: built-in answers")
      ->type_name("CASSETTE ...");
  add_replay_options(*command, *options);
  command->callback([options, &action] { action = [options] { return replay(*options); }; });
}

}  // namespace tapedeck::cli
