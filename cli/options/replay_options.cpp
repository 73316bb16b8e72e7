#include "cli/options/replay_options.h"

#include <cmath>
#include <filesystem>
#include <map>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/options/heading.h"
#include "cli/options/strict.h"
#include "cli/options/whole_number.h"

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

/// Whose answer it is, and what a miss gets.
void add_answer_options(CLI::App& command, ReplayCommandOptions& options) {
  const Heading heading(command, headings::answers);
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
  takes_whole_number(command.add_option("--session-calls", replay.session_calls,
                                        "End each session with error 106 after so many calls"),
                     1)
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
  command.add_flag("--any-version", replay.any_version, "On a miss, take a recording of another version");
  command.add_option("--delay", options.delay, "Hold every answer back: 800ms, recorded, or median=200ms,p99=2s")
      ->type_name("VALUE");
  command.add_option("--miss-status", replay.miss_status, "HTTP status of a miss")
      ->check(CLI::IsMember({200, 404, 501}).description(""))
      ->type_name("200|404|501")
      ->capture_default_str();
}

}  // namespace

void add_player_options(CLI::App& command, ReplayCommandOptions& options) {
  {
    const Heading heading(command, headings::rules);
    command
        .add_option(
            "--config", options.rules.config,
            "Read this tapedeck.toml: match rules, and scrub rules of your own for the journal; none is read by itself")
        ->type_name("FILE");
    add_private_key_option(command, options.private_values);
  }
  add_overlay_options(command, options);
  add_answer_options(command, options);
}

void add_overlay_options(CLI::App& command, ReplayCommandOptions& options) {
  const Heading heading(command, headings::overlays);
  command.add_option("--overlay", options.replay.overlay_files, "Lay these hand-written answers over the recordings")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_option("--hang-time", options.hang_time, "The longest that fault = \"hang\" holds a connection")
      ->check(CLI::Range(0.001, 3'600.0).description(""))
      ->type_name("SECONDS")
      ->capture_default_str();
  takes_whole_number(
      command.add_option("--seed", options.replay.seed, "Of what overlays draw: the same seed, the same draws"))
      ->type_name("N")
      ->capture_default_str();
}

void add_rerecord_option(CLI::App& command, std::vector<std::string>& names, const std::string& mode) {
  command
      .add_option("--rerecord", names, "With " + mode + ": record this scope again, whole, though a cassette has it")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

void add_replay_options(CLI::App& command, ReplayCommandOptions& options) {
  // A flag that may have a value, so that what follows "--strict" is no part of it.
  command
      .add_flag("--strict", options.strict,
                "Exit with 3 when there was one of " + strict_words() + "; alone: miss,fallback")
      ->type_name("[=LIST]");
  takes_whole_number(command.add_option("--threads", options.threads, "Threads that serve"))
      ->check(CLI::Range(1U, 64U).description(""))
      ->type_name("N")
      ->capture_default_str();
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
