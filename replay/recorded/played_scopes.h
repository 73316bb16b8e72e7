#pragma once
// Decides which scopes a server with a device replays, and which it records (docs/testing.md, "Tests as scopes").

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/scope_name.h"
#include "cassettes/read/cassette_reader.h"
#include "replay/recorded/scope_names.h"

namespace tapedeck::replay {

/// A scope is replayed if a cassette has all of it, unless it is to be recorded again; all others are recorded as a
/// whole. Immutable once its cassettes are added.
class PlayedScopes {
 public:
  /// Of `rerecord`, only names count, not runs: as clients send them, or as they are shown.
  explicit PlayedScopes(std::vector<api::ScopeName> rerecord) : rerecord_(std::move(rerecord)) {}
  /// `names` of the same cassette, or null without scopes, must outlive this.
  void add(const cassettes::CassetteReader& reader, const ScopeNames* names);

  /// `name` is as clients send it.
  [[nodiscard]] bool has(const std::string& name) const;

 private:
  struct Cassette {
    const ScopeNames* names;
    std::set<std::string, std::less<>> whole;  ///< as stored
  };
  [[nodiscard]] bool is_rerecorded(const std::string& name, const std::string& stored) const;

  std::vector<api::ScopeName> rerecord_;
  std::vector<Cassette> cassettes_;
};

}  // namespace tapedeck::replay
