#pragma once
// The names of a cassette's scopes, as far as a name must be searched for (toolkit §1, "spelling").

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// Immutable, shared between threads.
class ScopeNames {
 public:
  /// Null for a cassette without scopes.
  [[nodiscard]] static std::unique_ptr<const ScopeNames> of(const cassettes::CassetteReader& reader);

  /// The stored name that a scope's name means: itself where it is stored, or else the first one with redacted places
  /// that it fits; itself again when none does.
  [[nodiscard]] std::string stored(const std::string& name) const;

 private:
  std::vector<std::string> redacted_;         ///< sorted
  std::set<std::string, std::less<>> plain_;  ///< of a cassette that has redacted names alone
};

}  // namespace tapedeck::replay
