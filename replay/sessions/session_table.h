#pragma once
// Stores all sessions and accounts of a scope's run, or all those outside of scopes, up to a limit.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "replay/sessions/account_ties.h"
#include "replay/sessions/session.h"

namespace tapedeck::replay {

/// The counter for Session::number, shared by all tables of a server.
using SessionNumbers = std::shared_ptr<std::atomic<std::uint64_t>>;

/// Thread-safe. Lookups take a shared lock. Only logins, first uses, and ends take an exclusive one.
class SessionTable {
 public:
  static constexpr std::size_t max_sessions =
      10'000;  ///< the least recently used ones are dropped (docs/matching.md, "Sequences, lanes, and positions")
  static constexpr std::size_t max_in_run = 1'000;  ///< limit for a scope's run

  /// Creates the table of a scope's run, which usually serves one test, or without `scope` the one for requests outside
  /// of scopes, with 64 locks.
  explicit SessionTable(SessionNumbers numbers = std::make_shared<std::atomic<std::uint64_t>>(0),
                        ScopeText scope = nullptr);

  /// Returns the session for the ID that a client sends, or null. Texts that are not adoptable are searched for only
  /// after a client has used one.
  [[nodiscard]] std::shared_ptr<const Session> find(std::string_view id) const;
  /// Returns the session for that ID. Creates it if necessary. For a text that is not adoptable, the session gets
  /// another ID.
  [[nodiscard]] std::shared_ptr<const Session> find_or_adopt(std::string_view id, const MintShapes& shapes);
  [[nodiscard]] const std::shared_ptr<const Session>& anonymous() const { return anonymous_; }

  [[nodiscard]] std::shared_ptr<Account> account(std::string_view name);
  /// Assigns the account its number at its first login. Requires that account.login is locked.
  void number(Account& account);
  /// Returns the session of the account's next login, which sent this password. Requires that account->login is locked.
  [[nodiscard]] std::shared_ptr<const Session> log_in(const std::shared_ptr<Account>& account, const MintShapes& shapes,
                                                      bool has_handshake = false, std::string_view password = {});

  /// Returns this table's copy of a session that was created outside of its scope.
  [[nodiscard]] std::shared_ptr<const Session> take_in(const Session& outside);

  [[nodiscard]] PositionStore& global() { return global_; }
  [[nodiscard]] AccountTies& ties() { return ties_; }
  [[nodiscard]] LaneWrites& lane_writes() { return lane_writes_; }
  [[nodiscard]] std::size_t size() const { return size_.load(); }

  /// Returns all sessions that have an ID.
  [[nodiscard]] std::vector<std::shared_ptr<const Session>> all() const;
  /// Resets every position.
  void reset();
  /// Removes all sessions and accounts.
  void drop();
  /// Removes that session. Its ID is unknown afterwards.
  void drop(const Session& session);

 private:
  /// The keys are views of texts in the sessions, so that each text is stored once.
  struct Shard {
    mutable std::shared_mutex mutex;
    std::unordered_map<std::string_view, std::shared_ptr<const Session>> sessions;  ///< key: known_as()
  };
  [[nodiscard]] Shard& shard(std::string_view id) const;
  /// Returns false if the ID is in use. A login replaces a session that was adopted from a client.
  bool insert(const std::shared_ptr<const Session>& session);
  /// Replaces the session with the same key. Requires the lock.
  static void replace(Shard& place, const std::shared_ptr<const Session>& session);
  [[nodiscard]] std::shared_ptr<const Session> find_short(std::string_view name) const;
  void make_room();

  const SessionNumbers numbers_;
  const ScopeText scope_;
  const std::size_t most_;
  mutable std::vector<Shard> shards_;
  std::atomic<std::size_t> size_ = 0;
  std::atomic<std::uint32_t> strays_ = 0;  ///< strays: sessions without a numbered account
  /// True if a session has a key that is not adoptable.
  std::atomic<bool> has_odd_ids_ = false;
  std::atomic<std::uint64_t> age_ = 0;  ///< increases with each new session; used to find the least recently used one
  std::mutex eviction_;
  std::shared_ptr<const Session> anonymous_;

  std::mutex names_mutex_;
  std::unordered_map<std::string_view, std::shared_ptr<Account>> accounts_;  ///< key: the name in the account
  PositionStore global_;
  AccountTies ties_;
  LaneWrites lane_writes_;
};

}  // namespace tapedeck::replay
