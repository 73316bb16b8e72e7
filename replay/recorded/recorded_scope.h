#pragma once
// A scope as a cassette has it (toolkit §1, "as recorded").

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// What the newest whole take that has it recorded in it, or the newest take where none is whole. Immutable.
struct RecordedScope {
  /// Null when the cassette does not have the scope. `name` as it is stored.
  [[nodiscard]] static std::shared_ptr<const RecordedScope> find(const cassettes::CassetteReader& reader,
                                                                 std::string_view name);

  std::string name;
  std::uint32_t take = 0;
  bool is_complete = false;
  std::uint32_t lanes = 0;                                           ///< lane 0 aside
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_account{};  ///< lanes of its sessions, in their order

  /// Of the session that an account's login number `place` (from 0) made; beyond the last, that account's last. An
  /// account that the recording does not know has the first lane.
  [[nodiscard]] std::uint32_t lane(std::uint32_t account, std::uint32_t place) const;
};

/// The scope that a visit plays, and the cassette that has it; null: none.
struct ScopeSelection {
  std::shared_ptr<const RecordedScope> scope;
  std::uint32_t cassette = 0;  ///< in the command line's order
  explicit operator bool() const { return scope != nullptr; }
};

}  // namespace tapedeck::replay
