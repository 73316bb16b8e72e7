#pragma once
// Writes the log: one line for each event on standard error, such as "2026-11-20T10:53:25Z info  message". Thread-safe.

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace tapedeck::cli::log {

enum class Level { info, warning, error, critical };

/// Leaves out the lines of level `info`, and what else only tells that all is well: progress and summaries of tests.
/// Call it before anything is written.
void be_quiet();
[[nodiscard]] bool is_quiet();

/// Sets the function that removes known secrets from each message. It is called on any thread.
void hide_with(std::function<std::string(std::string_view text)> hide);

void write(Level level, std::string_view message);

template <typename... Args>
void info(fmt::format_string<Args...> text, Args&&... args) {
  write(Level::info, fmt::format(text, std::forward<Args>(args)...));
}
template <typename... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
  write(Level::warning, fmt::format(text, std::forward<Args>(args)...));
}
template <typename... Args>
void error(fmt::format_string<Args...> text, Args&&... args) {
  write(Level::error, fmt::format(text, std::forward<Args>(args)...));
}
template <typename... Args>
void critical(fmt::format_string<Args...> text, Args&&... args) {
  write(Level::critical, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace tapedeck::cli::log
