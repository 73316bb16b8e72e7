#include "cli/options/replay_options.h"

#include <map>

#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace tapedeck::cli {
namespace {

/// An option whose value is one of a few words.
template <typename Enum>
void add_choice(CLI::App& command, const std::string& name, Enum& value, const std::map<std::string, Enum>& words,
                const std::string& first, const std::string& what) {
  std::string list;
  for (const auto& [word, unused] : words) list += (list.empty() ? "" : "|") + word;
  command.add_option(name, value, what)
      ->transform(CLI::CheckedTransformer(words, CLI::ignore_case).description(""))
      ->type_name(list)
      ->default_str(first);
}

}  // namespace

void add_player_options(CLI::App& command, ReplayCommandOptions& options) {
  replay::ReplayOptions& replay = options.replay;
  command.add_flag("--no-fallback", options.no_fallback, "Do not answer the three specified operations from the spec");
  add_choice<api::Firmware>(command, "--firmware", replay.firmware,
                            {{"old", api::Firmware::old_generation}, {"new", api::Firmware::new_generation}}, "new",
                            "Whose version ranges count where nothing is recorded");
  add_choice<replay::Auth>(
      command, "--auth", replay.auth,
      {{"lenient", replay::Auth::lenient}, {"off", replay::Auth::off}, {"strict", replay::Auth::strict}}, "lenient",
      "What an unknown, missing or ended session id gets. lenient: a session of its own, 119 once it has "
      "ended; strict: 119; off: ids are not looked at");
  command.add_option("--session-calls", replay.session_calls, "End each session with error 106 after so many calls")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("N");
  add_choice<replay::Cursors>(command, "--cursors", replay.cursors,
                              {{"account", replay::Cursors::account},
                               {"auto", replay::Cursors::automatic},
                               {"global", replay::Cursors::global},
                               {"session", replay::Cursors::session}},
                              "auto", "Who advances a sequence of recorded answers");
  add_choice<replay::AtEnd>(command, "--at-end", replay.at_end,
                            {{"miss", replay::AtEnd::miss}, {"stick", replay::AtEnd::stick}}, "stick",
                            "After the last answer of a sequence: repeat it, or miss");
  command.add_option("--scope", options.scope, "The scope of requests that name none, at the start")->type_name("NAME");
  command.add_option("--ignore", replay.ignore_params, "On a miss, leave this parameter out of the comparison")
      ->type_name("PARAM")
      ->allow_extra_args(false);
  command
      .add_option(
          "--config", options.rules.config,
          "Read this tapedeck.toml: match rules, and scrub rules of your own for the journal; none is read by itself")
      ->type_name("FILE");
  command.add_flag("--any-version", replay.any_version, "On a miss, take a recording of another version");
  command.add_option("--miss-status", replay.miss_status, "HTTP status of a miss")
      ->check(CLI::IsMember({200, 404, 501}).description(""))
      ->type_name("200|404|501")
      ->capture_default_str();
}

void add_replay_options(CLI::App& command, ReplayCommandOptions& options) {
  add_server_options(command, options.server);
  add_control_options(command, options.control);
  add_player_options(command, options);
  add_disable_option(command, options.rules);
  command.add_flag("--strict", options.strict, "Exit with 3 when there was a miss or a fallback");
  command.add_option("--threads", options.threads, "Threads that serve")
      ->check(CLI::Range(1U, 64U).description(""))
      ->type_name("N")
      ->capture_default_str();
}

replay::ReplayOptions handler_options(const ReplayCommandOptions& options, bool secure) {
  replay::ReplayOptions replay = options.replay;
  replay.fallback = !options.no_fallback;
  replay.secure = secure;
  Config config = read_config(options.rules);
  replay.match_rules = std::move(config.match_rules);
  replay.rules = std::move(config.rules);
  if (!options.scope.empty()) {
    replay.scope = api::ScopeName::parse(options.scope);
    if (!replay.scope) {
      throw UsageError(
          "--scope " + options.scope +
          ": a scope is percent-encoded UTF-8 of at most 1,000 bytes, then #N for another run than the first");
    }
  }
  return replay;
}

}  // namespace tapedeck::cli
