#pragma once
// Defines the headings of option groups in --help, man pages, and the reference.

namespace tapedeck::cli::headings {

inline constexpr const char* responses = "Responses";
inline constexpr const char* device = "Device";
inline constexpr const char* filters = "Filters";
inline constexpr const char* listening = "Server";
inline constexpr const char* overlays = "Overlays";
inline constexpr const char* rules = "Rules and pseudonyms";
inline constexpr const char* watching = "Monitoring and control";

}  // namespace tapedeck::cli::headings
