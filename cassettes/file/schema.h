#pragma once
// The schema of docs/cassette-format.md, as text; a cassette has exactly this one.

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <string>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::cassettes {

inline constexpr std::uint32_t application_id = 0x5470646b;  // "Tpdk"
/// Packed, most bodies are a few hundred bytes: small pages are read faster. Each table and index has at least one, of
/// which a cassette of a few interactions fills hardly any: its pages are tiny. Large ones are for large bodies, and
/// for recording, where nothing is packed.
inline constexpr std::uint32_t tiny_page_size = 1024;
inline constexpr std::uint32_t small_page_size = 4096;
inline constexpr std::uint32_t large_page_size = 16384;
[[nodiscard]] constexpr bool is_page_size(std::uint32_t bytes) {
  return bytes == tiny_page_size || bytes == small_page_size || bytes == large_page_size;
}
inline constexpr std::uint64_t largest_body = std::uint64_t{256} << 20;

/// Of any time, either side of the epoch: 18,000 years. Sums and differences of two stay in 64 bits.
inline constexpr std::int64_t largest_time = std::int64_t{1} << 59;

enum class State { recording, finished };

/// Application id, format and tables on a database that has nothing yet; state `finished`, no index.
void create_schema(SQLite::Database& database);
/// The indexes, when the rows are in: built in one go, they come out dense.
void create_indexes(SQLite::Database& database);
/// The state `recording`.
void begin_recording(SQLite::Database& database);

/// Compares the file's schema before any other statement; throws Damage when it is not the one of the format.
[[nodiscard]] State check_schema(SQLite::Database& database);

}  // namespace tapedeck::cassettes
