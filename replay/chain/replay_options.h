#pragma once
// What a replay server is told at its start, and what it counts.

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

/// What becomes of a call whose session id is missing, unknown or ended (semantics §2, "Sessions").
enum class Auth {
  lenient,  ///< an unknown id is a session of its own; calls without one share one; an ended one gets 119
  strict,   ///< all three get 119, and so does a missing CSRF token where the recording used one
  off,      ///< ids are not looked at: all calls are in one session
};

/// Something that people should know of a run.
struct Notice {
  enum class Kind {
    miss,            ///< nothing could answer
    fallback,        ///< a response generated from the interface specification
    order,           ///< a recorded answer that was out of order (CursorScope::Next)
    scope,           ///< a scope was not what the cassettes have (toolkit §1, --strict=scope)
    builtin_error,   ///< a built-in answer that is an error
    past_end,        ///< an answer again after the end of a sequence whose answers differ
    derived,         ///< an answer that effects made or changed
    builtin_effect,  ///< likewise, by a built-in effect, alone or with others
  };
  Kind kind = Kind::miss;
  std::string scope;  ///< with its run, as it is shown; empty: none
  std::string text;   ///< a line of a miss, or a scrubbed key; without any value that the client sent
  auto operator<=>(const Notice&) const = default;
};

class End;

struct ReplayOptions {
  std::vector<std::string> cassettes;  ///< asked in this order; none: built-ins and fallbacks alone
  bool fallback = true;                ///< answer the three specified operations when nothing is recorded
  api::Firmware firmware = api::Firmware::new_generation;
  Auth auth = Auth::lenient;
  std::optional<unsigned> session_calls;  ///< a session ends with 106 after so many calls
  Cursors cursors = Cursors::automatic;
  AtEnd at_end = AtEnd::stick;
  std::optional<api::ScopeName> scope;  ///< the current one at the start
  std::vector<std::string>
      ignore_params;  ///< on a miss: parameters that need not be the same; "Core.Share:limit" for one API
  std::vector<std::string> bind_params;    ///< parameters whose values the client draws anew, likewise
  bool any_version = false;                ///< on a miss: the version need not be the same
  std::vector<MatchRule> match_rules;      ///< the same for one API or method, out of tapedeck.toml
  std::vector<std::string> overlay_files;  ///< hand-written answers, the first on top
  bool effects = false;                    ///< the built-in effects are in force, too
  std::uint64_t seed = 1;                  ///< of all that overlays draw
  std::optional<Delay> delay;              ///< of every answer that no overlay delays
  std::size_t longest_body = 64u << 20;    ///< of a response that overlays or effects make
  std::chrono::microseconds hang_time{std::chrono::minutes(5)};  ///< of fault = "hang"
  int miss_status = 200;                                         ///< HTTP status of an API call's miss
  bool secure = false;                                           ///< served over TLS: Set-Cookie keeps `Secure`
  std::size_t cache_bytes = 24u << 20;                           ///< of all threads together
  /// Is told of each answer before it goes out, and must outlive the handler. Null: nothing is kept, and what was
  /// played is not counted.
  journal::Journal* journal = nullptr;
  bool counts_use = false;  ///< note what was played, for each_use(); a journal does so, too
  scrubbers::RuleSet rules = scrubbers::RuleSet::defaults();  ///< what is scrubbed from the journal
  /// Answers in the place of fallbacks and misses what the cassettes do not (toolkit §3, mode "new"), and must outlive
  /// the handler. With it API.Info is answered only from what is recorded, a compound is played whole or not at all,
  /// and a session that is ahead of the device misses; a scope that no cassette has whole goes to it in all. Null:
  /// nothing leaves this server.
  End* end = nullptr;
  bool logins_go_to_end = false;         ///< outside of scopes logins, logouts and API.Encryption are never played
  std::vector<api::ScopeName> rerecord;  ///< scopes that go to the end though a cassette has them
  /// Of --private-key: original values are taken for their pseudonyms. Null: only pseudonyms are known.
  std::shared_ptr<scrubbers::PrivateProfile> private_values;
  /// Each distinct one, once. Called from any loop thread.
  std::function<void(const Notice& notice)> on_notice;
  /// What is odd and no miss. Called from any loop thread.
  std::function<void(const std::string& line)> on_warning;
  /// A cassette was found damaged while it was being served, or an answer could not be made: the program is to end,
  /// loudly. Called from any loop thread.
  std::function<void(const std::string& line)> on_failure;
};

/// Answers by outcome (semantics §5) since the start.
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
