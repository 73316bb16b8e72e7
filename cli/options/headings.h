#pragma once
// Headings of --help, man pages and the reference, of those commands that have many options.

namespace tapedeck::cli::headings {

inline constexpr const char* answers = "What is answered";
inline constexpr const char* device = "The device";
inline constexpr const char* filters = "Which interactions";
inline constexpr const char* listening = "Where it listens";
inline constexpr const char* overlays = "Overlays";
inline constexpr const char* rules = "Rules and pseudonyms";
inline constexpr const char* watching = "To watch and to steer";

}  // namespace tapedeck::cli::headings
