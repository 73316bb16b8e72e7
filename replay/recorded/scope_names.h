#pragma once
// Finds the stored name of a scope, which may have redacted places (docs/testing.md, "Scopes").

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

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

}  // namespace tapedeck::replay
