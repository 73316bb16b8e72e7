#pragma once
// The options of a replay server, and its counters.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/catalog.h"
#include "api/scope_name.h"
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
  lenient,  ///< an unknown ID is a new session; calls without an ID share one; an ended session gets 119
  strict,   ///< all three get 119, and so does a missing CSRF token if the recording had one
  off,      ///< IDs are ignored: all calls are in one session
};

/// Something to report about a run.
struct Notice {
  enum class Kind {
    miss,            ///< nothing could respond
    fallback,        ///< a response generated from the interface specification
    order,           ///< a recorded response was out of order (CursorScope::Next)
    scope,           ///< a scope is not in the cassettes (--strict=scope)
    builtin_error,   ///< a built-in response is an error
    past_end,        ///< a response repeated after the end of a sequence whose responses differ
    derived,         ///< effects made or changed a response
    builtin_effect,  ///< a built-in effect made or changed a response
  };
  Kind kind = Kind::miss;
  std::string scope;  ///< with its run, as shown; empty: none
  std::string text;   ///< the line about a miss, or a scrubbed key; contains no value of the client
  auto operator<=>(const Notice&) const = default;
};

class End;

struct ReplayOptions {
  std::vector<std::string> cassettes;  ///< searched in this order; empty: only built-in responses and fallbacks
  bool fallback = true;                ///< respond to the three specified operations if they are not recorded
  api::Firmware firmware = api::Firmware::new_generation;
  Auth auth = Auth::lenient;
  std::optional<unsigned> session_calls;  ///< a session ends with error 106 after this number of calls
  Cursors cursors = Cursors::automatic;
  AtEnd at_end = AtEnd::stick;
  std::optional<api::ScopeName> scope;     ///< the current scope at the start
  std::vector<std::string> ignore_params;  ///< on a miss: parameters that may differ; "Core.Share:limit" for one API
  std::vector<std::string> bind_params;    ///< parameters whose values the client generates anew in each run
  bool any_version = false;                ///< on a miss: the version may differ
  std::vector<MatchRule> match_rules;      ///< the same for one API or method, from tapedeck.toml
  std::vector<std::string> overlay_files;  ///< the first on top
  bool effects = false;                    ///< use the built-in effects, too
  std::uint64_t seed = 1;                  ///< for random choices of overlays
  std::optional<Delay> delay;              ///< for every response that no overlay delays
  std::size_t longest_body = 64u << 20;    ///< maximum size of a response that overlays or effects make
  std::chrono::microseconds hang_time{std::chrono::minutes(5)};  ///< for fault = "hang"
  int miss_status = 200;                                         ///< HTTP status of an API call's miss
  bool secure = false;                                           ///< served over TLS, so Set-Cookie keeps `Secure`
  std::size_t cache_bytes = 24u << 20;                           ///< for all threads together
  /// Gets each response before it is sent. Must outlive the handler. Null: nothing is kept, and use is not counted.
  journal::Journal* journal = nullptr;
  bool counts_use = false;  ///< count what was replayed, for each_use(), also without a journal
  scrubbers::RuleSet rules = scrubbers::RuleSet::defaults();  ///< for scrubbing the journal
  /// Handles requests without a recording, in place of fallbacks and misses (docs/recording.md, mode "new"). Must
  /// outlive the handler. With it, API.Info only comes from recordings, a compound is replayed as a whole or not at
  /// all, and a session to which a write was replayed misses; scopes that no cassette has go to it as a whole. Null:
  /// nothing leaves this server.
  End* end = nullptr;
  bool logins_go_to_end = false;         ///< outside of scopes, logins, logouts, and API.Encryption are never replayed
  std::vector<api::ScopeName> rerecord;  ///< scopes that go to `end` although a cassette has them
  /// Translates original values to pseudonyms (--private-key). Null: only pseudonyms match.
  std::shared_ptr<scrubbers::PrivateProfile> private_values;
  /// Called once for each distinct notice, from any loop thread.
  std::function<void(const Notice& notice)> on_notice;
  /// Called for problems that are not misses, from any loop thread.
  std::function<void(const std::string& line)> on_warning;
  /// Called if a cassette is damaged or a response cannot be made, from any loop thread. The program should then end
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
  std::uint64_t out_of_order = 0;     ///< of the recorded ones
  std::uint64_t out_of_scope = 0;     ///< Notice::Kind::scope
  std::uint64_t builtin_errors = 0;   ///< of the built-in ones
  std::uint64_t past_end = 0;         ///< Notice::Kind::past_end
  std::uint64_t builtin_effects = 0;  ///< of the derived ones: Notice::Kind::builtin_effect
};

}  // namespace tapedeck::replay
