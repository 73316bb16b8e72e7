#pragma once
// Defines the numbers of the cassette format (docs/cassette-format.md), and the type of its lists of findings.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace tapedeck::cassettes {

inline constexpr int format_version = 3;
inline constexpr std::uint32_t application_id = 0x5470646b;  // "Tpdk": a cassette
inline constexpr std::uint32_t recording_id = 0x54706472;    // "Tpdr": an unfinished recording
inline constexpr std::uint32_t page_size = 4096;
/// Bytes at the end of each page that SQLite does not use; they contain the page's checksum.
inline constexpr std::uint32_t checksum_size = 8;

inline constexpr std::uint64_t largest_body = std::uint64_t{256} << 20;
/// The maximum distance of a time from 1970 in microseconds (18,000 years), so that sums and differences of two times
/// fit in 64 bits.
inline constexpr std::int64_t largest_time = std::int64_t{1} << 59;
/// The sizes of a take's random name and of an interaction's name, in bytes.
inline constexpr std::size_t take_name_size = 16;
inline constexpr std::size_t interaction_name_size = 8;

/// Fingerprints of scan::Finding, sorted.
using Fingerprints = std::set<std::string, std::less<>>;

/// The values of key.kind.
enum class KeyKind { other = 0, call = 1, part = 2 };
/// The values of sequence.kind: whole responses, and parts of compound responses.
enum class SequenceKind { whole = 0, part = 1 };

inline constexpr std::chrono::milliseconds one_statement{2000};
inline constexpr std::chrono::milliseconds long_statement{60000};
inline constexpr std::chrono::milliseconds no_limit = std::chrono::hours(24);
/// The size above which files are not checked as a whole before they are used, because that takes seconds.
inline constexpr std::uint64_t checked_up_front = std::uint64_t{64} << 20;

}  // namespace tapedeck::cassettes
