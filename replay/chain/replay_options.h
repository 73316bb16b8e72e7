#pragma once
// Defines the options of a replay server, and its counters.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/scope_name.h"
#include "http/server/exchange.h"
#include "replay/overlays/delay.h"
#include "replay/recorded/match.h"
#include "replay/sessions/cursors.h"
#include "scrubbers/private/private_profile.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::journal {
class Journal;
}

namespace tapedeck::replay {

/// How calls with a missing, unknown, or ended session ID are handled (docs/replay.md, "Sessions").
enum class Auth {
  lenient,  ///< an unknown ID starts a session; calls without an ID share one; an ended session gets 119
  strict,   ///< a missing, unknown, or ended ID gets 119, and so does a missing CSRF token if the recording had one
};

/// An event of a run that is reported.
struct Notice {
  enum class Kind {
    miss,            ///< no step could respond to the request
    fallback,        ///< a response was generated from the interface specification
    order,           ///< a recorded response was out of order (PositionStore::Next)
    scope,           ///< a scope is not in the cassettes (--strict=scope)
    builtin_error,   ///< a built-in response is an error
    past_end,        ///< a response was repeated after the end of a sequence whose responses differ
    account,         ///< the recording may be one of another account, and theirs differ
    messages,        ///< messages of a client's WebSocket differ from the recording
    derived,         ///< effects made or changed a response
    builtin_effect,  ///< a built-in effect made or changed a response
  };
  Kind kind = Kind::miss;
  std::string scope;      ///< the displayed name with its run; empty: none
  std::string key;        ///< the scrubbed key or call that `text` contains; empty: none
  std::string text;       ///< the line about a miss, or a text with the key; contains no value of the client
  std::string hint = {};  ///< the remedy for a miss
  auto operator<=>(const Notice&) const = default;
};

class RequestContext;

/// Responds to requests that no step responds to, either immediately or later, and either as a whole or as a stream.
class End {
 public:
  virtual ~End() = default;
  /// `context` is valid until handle() returns.
  virtual void handle(std::shared_ptr<http::Exchange> exchange, const RequestContext& context) = 0;
};

/// The command that would record a missing request: `command OPTIONS operands`, such as `tapedeck exec --mode new … --
/// npm test`. Both texts are words of a shell.
struct RecordingCommand {
  std::string command = "tapedeck record";
  std::string operands = "CASSETTE";
};
inline constexpr std::string_view ignore_drawn = "auto";

struct ReplayOptions {
  /// Searched in this order; without any, only built-in responses and fallbacks are used.
  std::vector<std::string> cassettes;
  bool fallback = true;  ///< respond to the three specified operations if they are not recorded
  Auth auth = Auth::lenient;
  Cursors cursors = Cursors::automatic;
  AtEnd at_end = AtEnd::stick;
  std::optional<api::ScopeName> scope;  ///< the scope of requests that name none
  /// On a miss: parameters that may differ; "Core.Share:limit" for one API; ignore_drawn for those that
  /// cassettes::drawn_parameters() proposes.
  std::vector<std::string> ignore_params;
  std::vector<std::string> match_headers;  ///< headers that tell requests apart, besides the known and learned ones
  std::vector<std::string> bind_params;    ///< parameters whose values the client generates anew in each run
  bool any_version = false;                ///< on a miss: the version may differ
  std::vector<MatchRule> match_rules;      ///< the same for one API or method, from tapedeck.toml
  std::vector<std::string> overlay_files;  ///< the first one is on top
  bool effects = false;                    ///< use the built-in effects, too
  /// The text of an overlay file, used after effects and before fallbacks; empty: no simulated device.
  std::string simulated_device;
  std::optional<Delay> delay;              ///< delay for every response that no overlay delays
  std::size_t longest_body = 64u << 20;    ///< maximum size of a response that overlays or effects make
  int miss_status = 200;                   ///< HTTP status of a miss for an API call
  bool secure = false;                     ///< served over TLS, so Set-Cookie keeps `Secure`
  std::size_t cache_bytes = 24u << 20;     ///< limit for all threads together
  /// Receives each response before it is sent. Must outlive the handler. If it is null, nothing is kept, and use is not
  /// counted.
  journal::Journal* journal = nullptr;
  bool counts_use = false;  ///< count used recordings for each_use() even without a journal
  scrubbers::RuleSet rules = scrubbers::RuleSet::defaults();  ///< rules for scrubbing the journal
  /// Handles requests without a recording, in place of fallbacks and misses (docs/recording.md, "Complete a
  /// recording"). Must outlive the handler. API.Info then only comes from recordings. A compound is replayed either as
  /// a whole or not at all. Requests of a session to which a write was replayed are misses. Scopes that no cassette has
  /// go to it as a whole. If it is null, no request leaves this server.
  End* end = nullptr;
  RecordingCommand recording_command;    ///< for hints
  std::vector<api::ScopeName> rerecord;  ///< scopes that go to `end` even if a cassette has them
  /// Translates original values to pseudonyms (--private-key). If it is null, only pseudonyms match.
  std::shared_ptr<scrubbers::PrivateProfile> private_values;
  /// Called once for each distinct notice, from any loop thread.
  std::function<void(const Notice& notice)> on_notice;
  /// Called for problems that are not misses, from any loop thread.
  std::function<void(const std::string& line)> on_warning;
  /// Called from any loop thread if a cassette is damaged or a response cannot be created. The program should then end
  /// with an error.
  std::function<void(const std::string& line)> on_failure;
};

/// The number of responses by outcome (docs/replay.md, "Outcomes") since the start.
struct ReplayStats {
  std::uint64_t recorded = 0;
  std::uint64_t overlay = 0;
  std::uint64_t derived = 0;
  std::uint64_t builtin = 0;
  std::uint64_t fallback = 0;
  std::uint64_t misses = 0;
  std::uint64_t distinct_misses = 0;
  std::uint64_t out_of_order = 0;     ///< number of these among the recorded ones
  std::uint64_t out_of_scope = 0;     ///< Notice::Kind::scope
  std::uint64_t builtin_errors = 0;   ///< number of these among the built-in ones
  std::uint64_t past_end = 0;         ///< Notice::Kind::past_end
  std::uint64_t account_guesses = 0;  ///< Notice::Kind::account
  std::uint64_t other_messages = 0;   ///< messages of WebSockets: Notice::Kind::messages
  std::uint64_t simulated = 0;        ///< number of overlay responses of the simulated device
  std::uint64_t builtin_effects = 0;  ///< number of these among the derived ones: Notice::Kind::builtin_effect
};

}  // namespace tapedeck::replay
