#pragma once
// The scopes of a cassette (docs/testing.md, "Scopes"): their recordings and names, and which of them are replayed.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/scope_name.h"
#include "cassettes/read/cassette_reader.h"
#include "replay/sessions/account_ties.h"

namespace tapedeck::replay {

/// The sessions of a take, in a scope or without one.
struct RecordedSessions {
  /// The lanes of an account's sessions, in order.
  struct Lanes {
    std::vector<std::uint32_t> all, with_handshake, without_handshake;
  };
  std::map<std::uint32_t, Lanes> by_account;

  /// The account and lane of a session.
  struct Place {
    std::uint32_t account = 0, lane = 0;
    auto operator<=>(const Place&) const = default;
  };
  /// Returns the place of the account's session with that index. After the last session, continues with the first one,
  /// or in a scope with the last one. Sessions with and without a handshake are counted separately if the account has
  /// recorded ones of this kind. An account without a session has the place of the first one that has.
  [[nodiscard]] Place place(std::uint32_t account, const SessionIndex& index, bool in_scope) const;
};

/// Reads the sessions of a take.
[[nodiscard]] RecordedSessions recorded_sessions(const cassettes::CassetteReader& reader, std::uint32_t take,
                                                 std::string_view scope);
/// Reads the accounts of a scope, of one take or of all.
[[nodiscard]] RecordedAccounts recorded_accounts(const cassettes::CassetteReader& reader, std::string_view scope,
                                                 std::optional<std::uint32_t> take);

/// The part of the scope in the newest take that has all of it, or in the newest take that has any of it. Immutable.
struct RecordedScope {
  /// Returns null if the cassette does not have the scope. `name` is the stored name.
  [[nodiscard]] static std::shared_ptr<const RecordedScope> find(const cassettes::CassetteReader& reader,
                                                                 std::string_view name);

  std::string name;
  std::uint32_t take = 0;
  bool is_complete = false;
  std::uint32_t lanes = 0;  ///< number of lanes, without lane 0
  RecordedSessions sessions{};
  RecordedAccounts accounts{};
};

/// The scope of a request, and its cassette. Null means none.
struct ScopeSelection {
  std::shared_ptr<const RecordedScope> scope;
  std::uint32_t cassette = 0;  ///< index on the command line
  explicit operator bool() const { return scope != nullptr; }
};

/// The names of a cassette's scopes. Immutable and thread-safe.
class ScopeNames {
 public:
  /// Returns null for a cassette without scopes.
  [[nodiscard]] static std::unique_ptr<const ScopeNames> of(const cassettes::CassetteReader& reader);

  /// Returns `name` if it is stored. Otherwise returns the first stored name with redacted places that matches it, or
  /// `name` if none does.
  [[nodiscard]] std::string stored(const std::string& name) const;

 private:
  std::vector<std::string> redacted_;         ///< the names with redacted places, sorted
  std::set<std::string, std::less<>> plain_;  ///< the others; empty if `redacted_` is empty
};

/// A scope is replayed if a cassette contains a complete recording of it, unless it is to be recorded again. All other
/// scopes are recorded as a whole. Immutable once all cassettes are added.
class PlayedScopes {
 public:
  /// `rerecord` has the scopes to record again, with names in the form of clients or in the displayed form. Runs are
  /// ignored.
  explicit PlayedScopes(std::vector<api::ScopeName> rerecord) : rerecord_(std::move(rerecord)) {}
  /// Adds a cassette. `names` belongs to the same cassette, is null if it has no scopes, and must outlive the object.
  void add(const cassettes::CassetteReader& reader, const ScopeNames* names);

  /// Returns true if the scope is replayed. `name` has the form in which clients send it.
  [[nodiscard]] bool has(const std::string& name) const;

 private:
  struct Cassette {
    const ScopeNames* names;
    std::set<std::string, std::less<>> whole;  ///< stored names
  };
  [[nodiscard]] bool is_rerecorded(const std::string& name, const std::string& stored) const;

  std::vector<api::ScopeName> rerecord_;
  std::vector<Cassette> cassettes_;
};

}  // namespace tapedeck::replay
