#pragma once
// Suspects of the leak scan that somebody has reviewed: rows `allowed:<fingerprint>` of the table `meta`
// (docs/cassette-format.md).

#include <set>
#include <string>

#include "cassettes/file/connection.h"

namespace tapedeck::cassettes {

/// Of scan::Finding; in the order of their digits.
using Fingerprints = std::set<std::string, std::less<>>;

/// So many a cassette may hold: a person has looked at each.
inline constexpr std::size_t most_allowed = 10'000;

/// Throws Damage for a row of `meta` that the format does not know, and for too many.
[[nodiscard]] Fingerprints read_allowed(SQLite::Database& database);
void insert_allowed(SQLite::Database& database, const Fingerprints& allowed);

}  // namespace tapedeck::cassettes
