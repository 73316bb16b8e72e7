#pragma once
// Which scopes a server with a device behind it plays, and which it records (toolkit §3, "Scopes are whole").

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/scope_name.h"
#include "cassettes/read/cassette_reader.h"
#include "replay/recorded/scope_names.h"

namespace tapedeck::replay {

/// A scope is played when a cassette has it whole, unless it is to be recorded again; every other one is recorded as a
/// whole. Immutable once its cassettes are added.
class PlayedScopes {
 public:
  /// Of `rerecord` the names count, not the runs: as clients say them, or as they are shown.
  explicit PlayedScopes(std::vector<api::ScopeName> rerecord) : rerecord_(std::move(rerecord)) {}
  /// `names` of the same cassette, null without scopes, must outlive this.
  void add(const cassettes::CassetteReader& reader, const ScopeNames* names);

  /// `name` as clients say it.
  [[nodiscard]] bool has(const std::string& name) const;

 private:
  struct Cassette {
    const ScopeNames* names;
    std::set<std::string, std::less<>> whole;  ///< as they are stored
  };
  [[nodiscard]] bool is_rerecorded(const std::string& name, const std::string& stored) const;

  std::vector<api::ScopeName> rerecord_;
  std::vector<Cassette> cassettes_;
};

}  // namespace tapedeck::replay
