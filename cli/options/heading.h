#pragma once
// Headings of --help, man pages and the reference, of those commands that have many options.

#include <CLI/CLI.hpp>

namespace tapedeck::cli {

/// While it lives, what is added to the command stands under it, unless it names a group of its own.
class Heading {
 public:
  Heading(CLI::App& command, const char* text) : command_(command), before_(command.option_defaults()->get_group()) {
    command_.option_defaults()->group(text);
  }
  ~Heading() { command_.option_defaults()->group(before_); }
  Heading(const Heading&) = delete;
  Heading& operator=(const Heading&) = delete;

 private:
  CLI::App& command_;
  std::string before_;
};

namespace headings {
inline constexpr const char* answers = "What is answered";
inline constexpr const char* device = "The device";
inline constexpr const char* filters = "Which interactions";
inline constexpr const char* listening = "Where it listens";
inline constexpr const char* overlays = "Overlays";
inline constexpr const char* rules = "Rules and pseudonyms";
inline constexpr const char* watching = "To watch and to steer";
}  // namespace headings

}  // namespace tapedeck::cli
