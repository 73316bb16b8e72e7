#pragma once
// Manages the scopes of a server and their runs (docs/testing.md, "Scopes"). Each run has its own sessions and
// positions.

#include <atomic>
#include <cstdint>
#include <memory>
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

/// One run of a scope, or everything outside of scopes.
struct ScopeRun {
  explicit ScopeRun(SessionNumbers numbers) : sessions(std::move(numbers)) {}
  ScopeRun(SessionNumbers numbers, const api::ScopeName& scope)
      : text(std::make_shared<const std::string>(scope.text())), name(scope.name), sessions(std::move(numbers), text) {}

  const ScopeText text;    ///< null outside of scopes
  const std::string name;  ///< name of the scope, without the run
  SessionTable sessions;
  PositionStore cursors;                     ///< shared by all sessions of the run; not used outside of scopes
  std::atomic<std::uint64_t> last_used = 0;  ///< set by Scopes

  /// Returns the latest recorded time of a response that was replayed in this run, in microseconds since 1970, or 0
  /// before the first one.
  [[nodiscard]] std::int64_t latest_us() const { return latest_us_.load(std::memory_order_relaxed); }
  void played_at(std::int64_t recorded_us);
  /// Resets all sessions, positions, and the clock.
  void reset();

 private:
  std::atomic<std::int64_t> latest_us_ = 0;
};

/// Returns the name of a session for display: "session 3" or "no session", and never its ID.
[[nodiscard]] std::string display_name(const Session& session);

/// Thread-safe. Runs are created when they are first used.
class Scopes {
 public:
  static constexpr std::size_t max_runs = 10'000;  ///< the least recently used runs are dropped

  Scopes();

  [[nodiscard]] ScopeRun& outside() const { return *outside_; }
  [[nodiscard]] std::shared_ptr<ScopeRun> run(const api::ScopeName& scope);
  /// Returns the run with that text, or null if it does not exist yet.
  [[nodiscard]] std::shared_ptr<ScopeRun> find(std::string_view text) const;
  /// Returns the run whose login created this session ID, for requests that name no scope. Returns null if there is
  /// none.
  [[nodiscard]] std::shared_ptr<ScopeRun> of_id(std::string_view id) const;
  void minted(const Session& session, const std::shared_ptr<ScopeRun>& in);

  /// Returns the run after the latest one of that scope that was used or returned.
  [[nodiscard]] api::ScopeName next_run(const std::string& name);

  struct ListedSession {
    std::shared_ptr<const Session> session;
    ScopeText scope;
  };
  /// Returns all sessions that have an ID, in the order of their numbers.
  [[nodiscard]] std::vector<ListedSession> all() const;
  /// Returns the session with that display_name, or nothing.
  [[nodiscard]] std::optional<ListedSession> by_number(std::string_view name) const;
  /// Returns the texts of the existing runs, sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Returns the names, without runs, of all scopes that received a request.
  [[nodiscard]] std::vector<std::string> ran() const;
  /// Resets every position.
  void reset();
  /// Resets the object called `name`: a session with its account, by its display_name, or a run, by its text. Returns
  /// false if there is none.
  bool reset(std::string_view name);
  /// Removes all sessions, accounts, and runs.
  void drop();
  /// Removes a session, whose ID is unknown afterwards, or removes a run. Returns false if there is none with this
  /// name.
  bool drop(std::string_view name);

 private:
  using Runs = std::unordered_map<std::string, std::shared_ptr<ScopeRun>, base::TextHash, std::equal_to<>>;
  /// Requires the lock.
  std::shared_ptr<ScopeRun> make(const api::ScopeName& scope);
  void forget_oldest();
  [[nodiscard]] std::vector<std::shared_ptr<ScopeRun>> all_runs() const;

  const SessionNumbers numbers_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  const std::shared_ptr<ScopeRun> outside_;
  std::atomic<std::uint64_t> age_ = 0;
  std::atomic<bool> has_runs_ = false;  ///< allows requests without scopes to skip the lock
  mutable std::shared_mutex mutex_;     ///< guards the members below
  Runs runs_;                           ///< key: the run's text
  /// the latest run; key: the scope's name
  std::unordered_map<std::string, std::uint32_t, base::TextHash, std::equal_to<>> last_runs_;
  /// the run in which a session ID was created; key: the ID
  std::unordered_map<std::string, std::weak_ptr<ScopeRun>, base::TextHash, std::equal_to<>> ids_;
  std::unordered_set<std::string> ran_;
};

}  // namespace tapedeck::replay
