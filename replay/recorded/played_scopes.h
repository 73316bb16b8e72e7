#pragma once
// Decides for a server with a device which scopes it replays and which it records (docs/testing.md, "Tests as scopes").

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/scope_name.h"
#include "cassettes/read/cassette_reader.h"
#include "replay/recorded/scope_names.h"

namespace tapedeck::replay {

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
