#pragma once
// A scope of a cassette (docs/testing.md, "Scopes").

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// The part of the scope in the newest take that has all of it, or in the newest take that has any of it. Immutable.
struct RecordedScope {
  /// Returns null if the cassette does not have the scope. `name` is the stored name.
  [[nodiscard]] static std::shared_ptr<const RecordedScope> find(const cassettes::CassetteReader& reader,
                                                                 std::string_view name);

  std::string name;
  std::uint32_t take = 0;
  bool is_complete = false;
  std::uint32_t lanes = 0;                                           ///< number of lanes, without lane 0
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_account{};  ///< lanes of each account's sessions, in order

  /// Returns the lane of the session that login number `place` (from 0) of an account created. After the last login,
  /// returns the lane of the last one. For an unknown account, returns the first lane.
  [[nodiscard]] std::uint32_t lane(std::uint32_t account, std::uint32_t place) const;
};

/// The scope of a request, and its cassette. Null means none.
struct ScopeSelection {
  std::shared_ptr<const RecordedScope> scope;
  std::uint32_t cassette = 0;  ///< index on the command line
  explicit operator bool() const { return scope != nullptr; }
};

}  // namespace tapedeck::replay
