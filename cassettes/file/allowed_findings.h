#pragma once
// Reads and writes the reviewed findings of the leak scan: rows `allowed:<fingerprint>` of the table `meta`
// (docs/cassette-format.md).

#include <set>
#include <string>

#include "cassettes/file/connection.h"

namespace tapedeck::cassettes {

/// Fingerprints of scan::Finding, sorted.
using Fingerprints = std::set<std::string, std::less<>>;

/// The maximum number in a cassette. It can be small, because a person reviews each finding.
inline constexpr std::size_t most_allowed = 10'000;

/// Reads the fingerprints. Throws Damage for rows of `meta` that the format does not define, and for too many
/// fingerprints.
[[nodiscard]] Fingerprints read_allowed(SQLite::Database& database);
void insert_allowed(SQLite::Database& database, const Fingerprints& allowed);

}  // namespace tapedeck::cassettes
