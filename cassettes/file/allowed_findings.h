#pragma once
// Findings of the leak scan that were reviewed: rows `allowed:<fingerprint>` of the table `meta`
// (docs/cassette-format.md).

#include <set>
#include <string>

#include "cassettes/file/connection.h"

namespace tapedeck::cassettes {

/// Fingerprints of scan::Finding, sorted.
using Fingerprints = std::set<std::string, std::less<>>;

/// The maximum number in a cassette: a person has looked at each.
inline constexpr std::size_t most_allowed = 10'000;

/// Reads the fingerprints. Throws Damage for rows of `meta` that the format does not know, and for too many.
[[nodiscard]] Fingerprints read_allowed(SQLite::Database& database);
void insert_allowed(SQLite::Database& database, const Fingerprints& allowed);

}  // namespace tapedeck::cassettes
