#pragma once
// The options of replay, shared by every command that serves a cassette.

#include <memory>
#include <string>
#include <vector>

#include "cli/options/control_options.h"
#include "cli/options/private_options.h"
#include "cli/options/rule_options.h"
#include "cli/options/server_options.h"
#include "replay/replay_handler.h"

namespace tapedeck::cli {

class Command;

struct ReplayCommandOptions {
  ServerOptions server;
  ControlOptions control;
  replay::ReplayOptions replay;
  bool no_fallback = false;
  std::string strict;  ///< --strict, unread (strict_of); empty: not given
  unsigned threads = 1;
  bool watches = false;                  ///< a cassette that takes the place of one that was opened holds from then on
  std::string delay;                     ///< --delay, as it was given
  double hang_time = 300;                ///< seconds
  std::string scope;                     ///< --scope
  PrivateCommandOptions private_values;  ///< its key file alone
  RuleOptions rules;                     ///< of matching, and of what is scrubbed from the journal
  std::string device_origin;             ///< of the device that records what is missing; empty: none
};

/// What decides an answer; no server.
void add_player_options(Command& command, ReplayCommandOptions& options);
/// Overlays, and what they alone need.
void add_overlay_options(Command& command, ReplayCommandOptions& options);
/// --rerecord, of what `mode` is.
void add_rerecord_option(Command& command, std::vector<std::string>& names, const std::string& mode);
/// And what `replay` and `exec` need beside that.
void add_replay_options(Command& command, ReplayCommandOptions& options);
/// The options as the handler takes them, once the command line is parsed. Throws UsageError.
[[nodiscard]] replay::ReplayOptions handler_options(const ReplayCommandOptions& options, bool secure);
/// Opens cassettes and overlays; an overlay that cannot be read is a UsageError.
[[nodiscard]] std::unique_ptr<replay::ReplayHandler> make_handler(replay::ReplayOptions options, unsigned threads);

/// Of an option's value; throws UsageError.
[[nodiscard]] api::ScopeName scope_named(const std::string& option, const std::string& text);
/// Throws UsageError for a folder where a file is to be: a folder can be opened, and looks like an empty file. `option`
/// is for the message.
void refuse_folder(const std::string& option, const std::string& path);
/// Throws UsageError if there are effects. `mode` is what records: "--record new".
void refuse_effects(const replay::ReplayOptions& options, const std::string& mode);
[[nodiscard]] std::vector<api::ScopeName> scopes_named(const std::string& option,
                                                       const std::vector<std::string>& texts);

}  // namespace tapedeck::cli
