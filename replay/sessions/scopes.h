#pragma once
// The scopes of a server and their runs (docs/testing.md, "Scopes"), each with sessions and cursors of its own.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "api/scope_name.h"
#include "base/text_hash.h"
#include "replay/sessions/cursors.h"
#include "replay/sessions/session_table.h"

namespace tapedeck::replay {

struct CassetteSet;

/// One run of a scope, or what is done outside of scopes.
struct ScopeRun {
  explicit ScopeRun(SessionNumbers numbers) : sessions(std::move(numbers)) {}
  ScopeRun(SessionNumbers numbers, const api::ScopeName& scope)
      : text(std::make_shared<const std::string>(scope.text())), name(scope.name), sessions(std::move(numbers), text) {}

  const ScopeText text;    ///< null outside of scopes
  const std::string name;  ///< of the scope, without the run
  SessionTable sessions;
  CursorScope cursors;                       ///< of all its sessions; not used outside of scopes
  std::atomic<std::uint64_t> last_used = 0;  ///< of Scopes
  std::mutex begun_mutex;
  /// Of set_of(); guarded by begun_mutex. Most runs are over, and must not keep what nobody plays.
  std::weak_ptr<const CassetteSet> begun_with;

  /// The latest time at which a response that played here was recorded; 0 before the first one.
  [[nodiscard]] std::int64_t latest_us() const { return latest_us_.load(std::memory_order_relaxed); }
  void played_at(std::int64_t recorded_us);
  /// All sessions, cursors, and the clock go back to the start.
  void reset();

 private:
  std::atomic<std::int64_t> latest_us_ = 0;
};

/// What a session is called where people read it: "session 3", or "no session"; never its id.
[[nodiscard]] std::string display_name(const Session& session);

/// Thread-safe. Runs are made by their first use.
class Scopes {
 public:
  static constexpr std::size_t max_runs = 10'000;  ///< the least recently used go

  Scopes();

  [[nodiscard]] ScopeRun& outside() const { return *outside_; }
  [[nodiscard]] std::shared_ptr<ScopeRun> run(const api::ScopeName& scope);
  /// The run with that text; null: there is none yet.
  [[nodiscard]] std::shared_ptr<ScopeRun> find(std::string_view text) const;
  /// The run that a request belongs to which names no scope and has this id: the one whose login minted it. Null: it
  /// belongs to none.
  [[nodiscard]] std::shared_ptr<ScopeRun> of_id(std::string_view id) const;
  void minted(const Session& session, const std::shared_ptr<ScopeRun>& in);

  /// The scope of requests that name none; null: none.
  [[nodiscard]] std::shared_ptr<ScopeRun> current();
  /// From now on. A run that is the current one already starts anew.
  void begin(const api::ScopeName& scope);
  void end();
  /// The run after the last one of that scope that was used or handed out.
  [[nodiscard]] api::ScopeName next_run(const std::string& name);

  struct ListedSession {
    std::shared_ptr<const Session> session;
    ScopeText scope;
  };
  /// All sessions that have an id, in the order of their numbers.
  [[nodiscard]] std::vector<ListedSession> all() const;
  /// The session that people call by that name (display_name); nothing: there is none.
  [[nodiscard]] std::optional<ListedSession> by_number(std::string_view name) const;
  /// The texts of the runs in use, sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  /// The names of all scopes in which anything was asked, without their runs.
  [[nodiscard]] std::vector<std::string> ran() const;
  /// Every cursor goes back to the start.
  void reset();
  /// The same for what `name` names (display_name, or a run's text): a session and its account, or a run. False when
  /// there is none.
  bool reset(std::string_view name);
  /// Forgets all sessions, accounts and runs, as at the start.
  void drop();
  /// Forgets that session, whose id is then an unknown one, or that run. False when there is none.
  bool drop(std::string_view name);

 private:
  using Runs = std::unordered_map<std::string, std::shared_ptr<ScopeRun>, base::TextHash, std::equal_to<>>;
  /// Called with the lock held.
  std::shared_ptr<ScopeRun> make(const api::ScopeName& scope);
  void forget_oldest();
  [[nodiscard]] std::vector<std::shared_ptr<ScopeRun>> all_runs() const;

  const SessionNumbers numbers_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  const std::shared_ptr<ScopeRun> outside_;
  std::atomic<std::uint64_t> age_ = 0;
  std::atomic<bool> has_current_ = false, has_runs_ = false;  ///< so that who uses no scopes takes no lock
  mutable std::shared_mutex mutex_;                           ///< of all below
  Runs runs_;                                                 ///< by their texts
  std::unordered_map<std::string, std::uint32_t, base::TextHash, std::equal_to<>> last_runs_;  ///< by the scope's name
  std::unordered_map<std::string, std::weak_ptr<ScopeRun>, base::TextHash, std::equal_to<>> ids_;  ///< minted in a run
  std::unordered_set<std::string> ran_;
  std::optional<api::ScopeName> current_;
};

}  // namespace tapedeck::replay
