#pragma once
// All sessions and accounts of a scope's run, or of what is done outside of scopes; bounded.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "replay/sessions/session.h"

namespace tapedeck::replay {

/// Sessions of all tables of a server, in the order of first use.
using SessionNumbers = std::shared_ptr<std::atomic<std::uint64_t>>;

/// Thread-safe. Lookups take the reader's side of a lock; only logins, first uses and ends write.
class SessionTable {
 public:
  static constexpr std::size_t max_sessions =
      10'000;  ///< docs/replay.md, "Sequences, lanes, and positions"; the least recently used go
  static constexpr std::size_t max_in_run = 1'000;     ///< of a scope's run

  /// Outside of scopes, with 64 locks.
  explicit SessionTable(SessionNumbers numbers = std::make_shared<std::atomic<std::uint64_t>>(0));
  /// Of a scope's run: what one test does.
  SessionTable(SessionNumbers numbers, ScopeText scope);

  /// By what a client sends as its id. A text that is_adoptable is an id as it is; others are only looked for once a
  /// client has brought such a one along.
  [[nodiscard]] std::shared_ptr<const Session> find(std::string_view id) const;
  /// The session of that id, made if there is none. An id that is not adoptable gets a session whose own id is another.
  [[nodiscard]] std::shared_ptr<const Session> find_or_adopt(std::string_view id, const MintShapes& shapes);
  [[nodiscard]] const std::shared_ptr<const Session>& anonymous() const { return anonymous_; }

  [[nodiscard]] std::shared_ptr<Account> account(std::string_view name);
  /// Gives the account its number at its first login. The caller holds account.login.
  void number(Account& account);
  /// The session of the account's next login. The caller holds account->login.
  [[nodiscard]] std::shared_ptr<const Session> log_in(const std::shared_ptr<Account>& account,
                                                      const MintShapes& shapes);

  /// A session that was minted outside of this table's scope, as one of this table.
  [[nodiscard]] std::shared_ptr<const Session> take_in(const Session& outside);

  [[nodiscard]] CursorScope& global() { return global_; }
  [[nodiscard]] std::size_t size() const { return size_.load(); }

  /// All sessions that have an id.
  [[nodiscard]] std::vector<std::shared_ptr<const Session>> all() const;
  /// Every cursor goes back to the start.
  void reset();
  /// Forgets all sessions and accounts, as at the start.
  void drop();
  /// Forgets that session, whose id is then an unknown one.
  void drop(const Session& session);

 private:
  /// The keys are the sessions' own texts: what clients send is kept once.
  struct Shard {
    mutable std::shared_mutex mutex;
    std::unordered_map<std::string_view, std::shared_ptr<const Session>> sessions;  ///< by known_as()
  };
  [[nodiscard]] Shard& shard(std::string_view id) const;
  /// False when the id is taken; one that a client brought along gives way to a login's.
  bool insert(const std::shared_ptr<const Session>& session);
  /// Puts the session in the place of the one that is known as the same. Called with the lock held.
  static void replace(Shard& place, const std::shared_ptr<const Session>& session);
  [[nodiscard]] std::shared_ptr<const Session> find_short(std::string_view name) const;
  void make_room();

  const SessionNumbers numbers_;
  const ScopeText scope_;
  const std::size_t most_;
  mutable std::vector<Shard> shards_;
  std::atomic<std::size_t> size_ = 0;
  std::atomic<std::uint32_t> numbered_accounts_ = 0, strays_ = 0;  ///< strays: sessions without a numbered account
  std::atomic<bool> has_odd_ids_ = false;                          ///< some session is known by what is not adoptable
  std::atomic<std::uint64_t> age_ = 0;  ///< rises with each new session: the clock of "least recently used"
  std::mutex eviction_;
  std::shared_ptr<const Session> anonymous_;

  std::mutex names_mutex_;
  std::unordered_map<std::string_view, std::shared_ptr<Account>> accounts_;  ///< by their own names
  CursorScope global_;
};

}  // namespace tapedeck::replay
