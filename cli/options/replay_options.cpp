#include "cli/options/replay_options.h"

#include <filesystem>
#include <fstream>

#include "cli/arguments/values.h"
#include "cli/console/usage_error.h"
#include "cli/options/headings.h"
#include "replay/match_rules.h"
#include "replay/overlays/overlay_file.h"

namespace tapedeck::cli {
namespace {

/// Adds the options for the choice of responses and for misses.
void add_response_options(Command& command, ReplayCommandOptions& options) {
  const Heading heading(command, headings::responses);
  replay::ReplayOptions& replay = options.replay;
  command.flag("--no-fallback", options.no_fallback, "Do not generate responses from the interface specification");
  command
      .choice("--auth",
              one_of<replay::Auth>(replay.auth, {{"lenient", replay::Auth::lenient}, {"strict", replay::Auth::strict}}),
              "Unknown session IDs: accept (lenient), or refuse with error 119 (strict)")
      .show_default();
  command
      .choice("--position",
              one_of<replay::Cursors>(replay.cursors, {{"account", replay::Cursors::account},
                                                       {"auto", replay::Cursors::automatic},
                                                       {"global", replay::Cursors::global},
                                                       {"session", replay::Cursors::session}}),
              "Keep one position per account, per session, or for all (global); auto: per session, or per account if "
              "the recorded client logged in again")
      .show_default();
  command
      .choice("--at-end",
              one_of<replay::AtEnd>(
                  replay.at_end,
                  {{"loop", replay::AtEnd::loop}, {"miss", replay::AtEnd::miss}, {"stick", replay::AtEnd::stick}}),
              "After the last recorded response: repeat it (stick), start over (loop), or report a miss (miss)")
      .show_default();
  command.option("--scope", "NAME", scope_into(replay.scope), "Default scope for requests that name none");
  command.option("--ignore", "PARAM", into(replay.ignore_params),
                 "Ignore this parameter when no exact match exists; auto: those whose values only clients draw");
  command.option("--bind", "PARAM", into(replay.bind_params),
                 "Match any value of this parameter, for IDs that clients generate");
  command.option("--match-header", "NAME", into(replay.match_headers),
                 "Match this request header, too, besides those by which recordings differ");
  command.flag("--any-version", replay.any_version, "Accept another API version if there is no exact match");
  command.option(
      "--delay", "VALUE",
      parsed(replay.delay, replay::parse_delay, "must be a time such as 800ms or 2s, at most one hour, or `recorded`"),
      "Delay each response by this time, such as 800ms, or as it was recorded (recorded)");
  command
      .choice("--miss-status", one_of<int>(replay.miss_status, {{"200", 200}, {"404", 404}, {"501", 501}}),
              "HTTP status of a miss")
      .show_default();
}

}  // namespace

void add_player_options(Command& command, ReplayCommandOptions& options) {
  {
    const Heading heading(command, headings::rules);
    command.option("--config", "FILE", into(options.rules.config),
                   "Read match and scrub rules from this configuration file (TOML)");
    add_private_key_option(command, options.private_values);
  }
  add_overlay_options(command, options);
  {
    const Heading heading(command, headings::overlays);
    command.flag("--effects", options.replay.effects,
                 "Apply the built-in effects of writes (see `tapedeck overlay --effects`)");
  }
  add_response_options(command, options);
}

void add_overlay_options(Command& command, ReplayCommandOptions& options) {
  const Heading heading(command, headings::overlays);
  command.option("--overlay", "FILE", into(options.replay.overlay_files),
                 "Serve the mock responses in this overlay file");
}

void add_rerecord_option(Command& command, std::vector<api::ScopeName>& scopes, const std::string& mode) {
  command.option("--rerecord", "NAME", parsed(scopes, api::ScopeName::parse, scope_syntax),
                 "Re-record this scope; * matches any text (with " + mode + ")");
}

void add_replay_options(Command& command, ReplayCommandOptions& options) {
  // The value is optional and follows an equals sign, so that the word after "--strict" is not taken for it.
  command.option("--strict", "[=LIST]", strict_into(options.strict, Strict::on_replay),
                 "Exit with status 3 after a miss or fallback, or after the events in LIST");
  command.option("--threads", "N", whole_number(options.threads, 1, 64), "Number of server threads").show_default();
  command.flag("-v,--verbose", options.control.verbose, "Log each request and where its response comes from");
  add_player_options(command, options);
  add_control_options(command, options.control);
  add_server_options(command, options.server);
}

replay::ReplayOptions handler_options(const ReplayCommandOptions& options, bool secure) {
  replay::ReplayOptions replay = options.replay;
  replay.fallback = !options.no_fallback;
  replay.secure = secure;
  replay.longest_body = limits_of(options.server).max_body;
  Config config = read_config(options.rules);
  for (const std::string& name : replay.match_headers) {
    if (const std::string wrong = replay::wrong_match_header(name); !wrong.empty())
      throw UsageError("--match-header: " + wrong);
  }
  replay.match_headers.insert(replay.match_headers.end(), config.match_headers.begin(), config.match_headers.end());
  replay.match_rules = std::move(config.match_rules);
  replay.rules = std::move(config.rules);
  if (const auto secret = replay::secret_bind(replay.rules, replay::looseness_of(replay).rules)) {
    throw UsageError("--bind " + *secret + ": a scrub rule replaces its values, so they are not in the cassette");
  }
  replay.private_values = reading_profile(options.private_values);
  for (const std::string& file : replay.overlay_files) check_overlay_path("--overlay", file);
  return replay;
}

void refuse_changes(const replay::ReplayOptions& options, const std::string& mode) {
  const std::string why = " cannot be used with " + mode + ": while recording, every response is the device's own";
  if (options.effects) throw UsageError("--effects" + why);
  if (options.at_end != replay::AtEnd::stick) {
    throw UsageError("--at-end cannot be used with " + mode + ": while recording, an ended sequence repeats");
  }
  for (const std::string& file : options.overlay_files) {
    check_overlay_path("--overlay", file);
    const auto read = replay::read_overlay_file(file, replay::overlay_file_text(file));
    if (!read.effects.empty()) {
      throw UsageError(file + ":" + std::to_string(read.effects.front().line) + ": [[effect]]" + why);
    }
    for (const replay::Overlay& overlay : read.overlays) {
      const std::string member(overlay.changing_member());
      if (member.empty()) continue;
      throw UsageError(file + ":" + std::to_string(overlay.line) + ": [[overlay]] with `" + member + "`" + why +
                       ", or completely that of an overlay");
    }
  }
}

void refuse_folder(const std::string& option, const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw UsageError(option + " " + path + ": this is a folder, not a file");
}

void check_overlay_path(const std::string& option, const std::string& path) {
  refuse_folder(option, path);
  constexpr std::string_view of_databases = "SQLite format 3";
  std::string start(of_databases.size(), '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start == of_databases) throw UsageError(option + " " + path + ": this is a cassette, not an overlay file");
}

Destination scope_into(std::optional<api::ScopeName>& scope) {
  const auto store = [&scope](const std::string& text) {
    scope = api::ScopeName::parse(text);
    return scope.has_value() || text.empty();
  };
  return parsed(store, scope_syntax);
}

}  // namespace tapedeck::cli
