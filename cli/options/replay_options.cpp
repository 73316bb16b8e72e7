#include "cli/options/replay_options.h"

#include <cmath>
#include <filesystem>

#include "cli/arguments/values.h"
#include "cli/options/headings.h"
#include "cli/options/strict.h"
#include "cli/usage_error.h"

namespace tapedeck::cli {
namespace {

/// Whose answer it is, and what a miss gets.
void add_answer_options(Command& command, ReplayCommandOptions& options) {
  const Heading heading(command, headings::answers);
  replay::ReplayOptions& replay = options.replay;
  command.flag("--no-fallback", options.no_fallback, "Do not answer the three specified operations from the spec");
  command
      .choice("--firmware",
              one_of<api::Firmware>(replay.firmware,
                                    {{"old", api::Firmware::old_generation}, {"new", api::Firmware::new_generation}}),
              "Whose version ranges count where nothing is recorded")
      .show_default();
  command
      .choice("--auth",
              one_of<replay::Auth>(
                  replay.auth,
                  {{"lenient", replay::Auth::lenient}, {"off", replay::Auth::off}, {"strict", replay::Auth::strict}}),
              "What an unknown, missing or ended session id gets. lenient: a session of its own, 119 once it has "
              "ended; strict: 119; off: ids are not looked at")
      .show_default();
  command.option("--session-calls", "N", whole_number(replay.session_calls, 1),
                 "End each session with error 106 after so many calls");
  command
      .choice("--cursors",
              one_of<replay::Cursors>(replay.cursors, {{"account", replay::Cursors::account},
                                                       {"auto", replay::Cursors::automatic},
                                                       {"global", replay::Cursors::global},
                                                       {"session", replay::Cursors::session}}),
              "Who advances a sequence of recorded answers")
      .show_default();
  command
      .choice("--at-end",
              one_of<replay::AtEnd>(replay.at_end, {{"miss", replay::AtEnd::miss}, {"stick", replay::AtEnd::stick}}),
              "After the last answer of a sequence: repeat it, or miss")
      .show_default();
  command.option("--scope", "NAME", into(options.scope), "The scope of requests that name none, at the start");
  command.option("--ignore", "PARAM", into(replay.ignore_params),
                 "On a miss, leave this parameter out of the comparison");
  command.flag("--any-version", replay.any_version, "On a miss, take a recording of another version");
  command.option("--delay", "VALUE", into(options.delay),
                 "Hold every answer back: 800ms, recorded, or median=200ms,p99=2s");
  command
      .choice("--miss-status", one_of<int>(replay.miss_status, {{"200", 200}, {"404", 404}, {"501", 501}}),
              "HTTP status of a miss")
      .show_default();
}

}  // namespace

void add_player_options(Command& command, ReplayCommandOptions& options) {
  {
    const Heading heading(command, headings::rules);
    command.option(
        "--config", "FILE", into(options.rules.config),
        "Read this tapedeck.toml: match rules, and scrub rules of your own for the journal; none is read by itself");
    add_private_key_option(command, options.private_values);
  }
  add_overlay_options(command, options);
  add_answer_options(command, options);
}

void add_overlay_options(Command& command, ReplayCommandOptions& options) {
  const Heading heading(command, headings::overlays);
  command.option("--overlay", "FILE", into(options.replay.overlay_files),
                 "Lay these hand-written answers over the recordings");
  command
      .option("--hang-time", "SECONDS", real_number(options.hang_time, 0.001, 3'600),
              "The longest that fault = \"hang\" holds a connection")
      .show_default();
  command
      .option("--seed", "N", whole_number(options.replay.seed), "Of what overlays draw: the same seed, the same draws")
      .show_default();
}

void add_rerecord_option(Command& command, std::vector<std::string>& names, const std::string& mode) {
  command.option("--rerecord", "NAME", into(names),
                 "With " + mode + ": record this scope again, whole, though a cassette has it; * stands for any text");
}

void add_replay_options(Command& command, ReplayCommandOptions& options) {
  // A flag that may have a value, so that what follows "--strict" is no part of it.
  command.option("--strict", "[=LIST]", into(options.strict),
                 "Exit with 3 when there was one of " + strict_words() + "; alone: miss,fallback");
  command.option("--threads", "N", whole_number(options.threads, 1, 64), "Threads that serve").show_default();
  add_player_options(command, options);
  const Heading heading(command, headings::rules);
  add_disable_option(command, options.rules);
  add_control_options(command, options.control);
  add_server_options(command, options.server);
}

std::unique_ptr<replay::ReplayHandler> make_handler(replay::ReplayOptions options, unsigned threads) {
  try {
    return std::make_unique<replay::ReplayHandler>(std::move(options), threads);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

replay::ReplayOptions handler_options(const ReplayCommandOptions& options, bool secure) {
  replay::ReplayOptions replay = options.replay;
  replay.fallback = !options.no_fallback;
  replay.secure = secure;
  Config config = read_config(options.rules);
  replay.match_rules = std::move(config.match_rules);
  replay.rules = std::move(config.rules);
  replay.private_values = reading_profile(options.private_values);
  replay.hang_time = std::chrono::microseconds(std::llround(options.hang_time * 1e6));
  if (!options.delay.empty()) {
    replay.delay = replay::parse_delay(options.delay);
    if (!replay.delay) {
      throw UsageError("--delay must be a time such as 800ms or 2s, recorded, or median=200ms,p99=2s, at most an hour");
    }
  }
  for (const std::string& file : replay.overlay_files) refuse_folder("--overlay", file);
  if (!options.scope.empty()) replay.scope = scope_named("--scope", options.scope);
  return replay;
}

void refuse_folder(const std::string& option, const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw UsageError(option + " " + path + ": it is a folder");
}

api::ScopeName scope_named(const std::string& option, const std::string& text) {
  const auto scope = api::ScopeName::parse(text);
  if (scope) return *scope;
  throw UsageError(option + " " + text +
                   ": a scope is percent-encoded UTF-8 of at most 1,000 bytes, then #N for another run than the first");
}

std::vector<api::ScopeName> scopes_named(const std::string& option, const std::vector<std::string>& texts) {
  std::vector<api::ScopeName> scopes;
  for (const std::string& text : texts) scopes.push_back(scope_named(option, text));
  return scopes;
}

}  // namespace tapedeck::cli
