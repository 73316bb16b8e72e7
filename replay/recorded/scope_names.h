#pragma once
// The names of a cassette's scopes, if they must be searched for (docs/testing.md, "Scopes").

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// Immutable and thread-safe.
class ScopeNames {
 public:
  /// Returns null for a cassette without scopes.
  [[nodiscard]] static std::unique_ptr<const ScopeNames> of(const cassettes::CassetteReader& reader);

  /// Returns the stored name for a scope: the first stored name with redacted places that matches it, unless `name`
  /// itself is stored. Returns `name` if there is none.
  [[nodiscard]] std::string stored(const std::string& name) const;

 private:
  std::vector<std::string> redacted_;         ///< sorted
  std::set<std::string, std::less<>> plain_;  ///< if the cassette has redacted names
};

}  // namespace tapedeck::replay
