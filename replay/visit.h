#pragma once
// One request's way along the chain (design §1): what it says, whose it is, and what the stages leave for each other.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/recorded/tape_scope.h"
#include "replay/resolution.h"
#include "replay/sessions/scopes.h"
#include "replay/sessions/session.h"

namespace tapedeck::replay {

struct EffectTurn;
struct OverlayTurn;
struct Reply;

/// What the player found but could not play: for the miss that may come of it.
struct PlayerNotes {
  std::vector<std::string> ambiguous;       ///< recordings that differ only in redacted places, or in private values
  std::vector<std::string> private_params;  ///< of these; empty: in redacted places
  std::uint64_t hidden = 0;                 ///< broken and withheld recordings of this very key
  bool at_end = false;                      ///< its sequence is over, under --at-end miss
  bool conditional = false;                 ///< only answers to a condition or range that this request does not have
  std::vector<std::string> conflict;        ///< ids of recordings that differ only in secrets without an identity
  std::string ranges;                       ///< those that are recorded of it: "bytes=0-99, bytes=100-"
  std::string tied;                         ///< a bound parameter of which all recorded values are tied already
  /// The call is recorded, and yet nothing of it can be played: nothing else may stand in for it.
  [[nodiscard]] bool is_recorded() const {
    return is_ambiguous() || hidden > 0 || at_end || conditional || !tied.empty();
  }
  [[nodiscard]] bool is_ambiguous() const { return !ambiguous.empty() || !conflict.empty(); }
};

/// Which login it is.
struct LoginTurn {
  std::uint32_t ordinal = 0;  ///< among the successful ones of its account, from 0
  std::uint32_t account = 0;  ///< Account::number
};

/// For the thread that answers. The session stage gives it its session; the key is asked for after that.
class Visit {
 public:
  /// Of a request as Resolution reads it, outside of scopes until it enters one. What is given must outlive this.
  Visit(const http::Request& request, const std::vector<std::string>& base_paths, const api::KeyPolicy& policy,
        RequestMemo& memo, ScopeRun& outside)
      : asked_(request, base_paths, policy, memo), run_(&outside) {}
  /// Of a request whose private values were exchanged for their pseudonyms; those of `brought` are written back in the
  /// session's answers.
  Visit(std::shared_ptr<const http::Request> exchanged, BroughtValues brought,
        const std::vector<std::string>& base_paths, const api::KeyPolicy& policy, RequestMemo& memo, ScopeRun& outside)
      : exchanged_(std::move(exchanged)),
        brought_(std::move(brought)),
        asked_(*exchanged_, base_paths, policy, memo),
        run_(&outside) {}
  /// Of the part at `place` of the compound request `whole`, in its session.
  Visit(const Visit& whole, api::Call part, std::uint32_t place);
  Visit(Visit&&) = default;

  [[nodiscard]] const Resolution& asked() const { return asked_; }
  /// The same visit, asking for a HEAD that was recorded as one.
  [[nodiscard]] Visit as_head() const;

  /// From now on it is one of that run's.
  void enter(std::shared_ptr<ScopeRun> run);
  /// Where it is; outside of scopes, its text is null.
  [[nodiscard]] ScopeRun& run() const { return *run_; }
  /// The same, to be kept; null outside of scopes.
  [[nodiscard]] const std::shared_ptr<ScopeRun>& scope_run() const { return scope_run_; }

  void set_session(std::shared_ptr<const Session> session);
  [[nodiscard]] const Session& session() const { return *session_; }
  /// Values of the session in the request stand in it as the labels of the redactions that they would have become, and
  /// so do the ids of other sessions. Good as long as the visit stays where it is.
  [[nodiscard]] const api::RequestKey& key();

  /// Takes down what is borrowed from the thread's memo: for a visit whose answer comes after its handle().
  void keep();

  /// Those of the scope's run; null outside of scopes.
  std::shared_ptr<CursorScope> named_cursors;
  /// When the request was whole and its answer began to be looked for.
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  /// The recorded scope that it is in; none outside of scopes, and in one that no cassette has.
  Tape tape;
  /// Of a login that the login stage asks the player for.
  std::optional<LoginTurn> login;
  /// The player is asked for the recorded refusal that is next in turn, and for nothing else.
  bool wants_refusal = false;
  std::string match_note;  ///< what of the scope was not exact, for X-Tapedeck-Match
  std::string bound_note;  ///< the parameters whose live values were taken for recorded ones, for the same
  PlayerNotes notes;
  /// A compound that is to be answered part by part, recorded or not.
  bool take_apart = false;
  /// What effects have to do with it; null for nothing.
  std::shared_ptr<EffectTurn> effects;
  /// Its response changes: the plain one is played, whatever conditions and range the request has.
  bool ignores_conditions = false;
  /// What overlays do to the reply; null for nothing.
  std::shared_ptr<OverlayTurn> overlays;
  /// Of a compound that may go to the chain's end, where overlays have to do with a part of it: all its parts, the
  /// overlays asked already. Null otherwise.
  std::shared_ptr<std::vector<Visit>> parts;
  /// Of such a part: what overlays answer to it.
  std::shared_ptr<Reply> overlay_reply;
  bool overlays_were_asked = false;
  /// Its scope is recorded: the chain's end answers all of it.
  bool scope_is_recorded = false;
  /// No link further down is asked: the chain's end answers.
  bool goes_to_end = false;

 private:
  Visit(const Visit& other, Resolution asked);
  [[nodiscard]] bool is_free_of_ids() const;
  [[nodiscard]] std::vector<api::Hole> own_values() const;

  std::shared_ptr<const http::Request> exchanged_;  ///< null: the request is the client's own
  BroughtValues brought_;
  Resolution asked_;
  ScopeRun* run_;
  std::shared_ptr<ScopeRun> scope_run_;
  std::shared_ptr<const Session> session_;
  std::optional<api::RequestKey> own_key_;
  bool is_key_remembered_ = false;
};

}  // namespace tapedeck::replay
