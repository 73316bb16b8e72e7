#pragma once
// Defines the options of replay, which every command that serves a cassette shares.

#include <memory>
#include <string>
#include <vector>

#include "cli/arguments/command.h"
#include "cli/options/rule_options.h"
#include "cli/options/server_options.h"
#include "cli/options/strict.h"
#include "replay/chain/replay_options.h"

namespace tapedeck::cli {

struct ReplayCommandOptions {
  ServerOptions server;
  ControlOptions control;
  replay::ReplayOptions replay;
  bool no_fallback = false;
  Strict strict;
  unsigned threads = 1;
  PrivateCommandOptions private_values;  ///< only the key file is used
  RuleOptions rules;                     ///< for matching, and for scrubbing the journal
  /// Base URL of the device from which missing interactions are recorded; empty without one.
  std::string device_origin;
};

/// Adds the options that decide how a response is chosen, without those of the server.
void add_player_options(Command& command, ReplayCommandOptions& options);
/// Adds the options for overlays.
void add_overlay_options(Command& command, ReplayCommandOptions& options);
/// Adds --rerecord, which requires the option `mode`.
void add_rerecord_option(Command& command, std::vector<api::ScopeName>& scopes, const std::string& mode);
/// Adds all options of `replay` and `exec`.
void add_replay_options(Command& command, ReplayCommandOptions& options);
/// Returns the options for the handler, once the command line is parsed. Throws UsageError.
[[nodiscard]] replay::ReplayOptions handler_options(const ReplayCommandOptions& options, bool secure);
/// A description of the texts that are scopes.
inline constexpr const char* scope_syntax =
    "must be percent-encoded UTF-8 of at most 1,000 bytes, followed by #N for run N";
/// Accepts a scope. The empty text is no scope.
[[nodiscard]] Destination scope_into(std::optional<api::ScopeName>& scope);
/// Throws UsageError if `path` is a folder, which can be opened but would look like an empty file. `option` is for the
/// message.
void refuse_folder(const std::string& option, const std::string& path);
/// Throws UsageError if `path` is a folder or a cassette, and so no overlay file.
void check_overlay_path(const std::string& option, const std::string& path);
/// Throws UsageError if there are effects, or overlays that do more than respond, which cannot be combined with
/// recording. `mode` is the option that records, such as "--mode new".
void refuse_changes(const replay::ReplayOptions& options, const std::string& mode);

}  // namespace tapedeck::cli
