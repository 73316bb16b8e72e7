#include "cli/reports/progress_bar.h"

#include <algorithm>
#include <csignal>
#include <iostream>

#include <fmt/format.h>

#include "cli/console/log.h"
#include "cli/console/terminal.h"

namespace tapedeck::cli {
namespace {

constexpr std::size_t bar_width = 20;
constexpr std::chrono::milliseconds between_lines{100}, before_rates{500};

volatile std::sig_atomic_t signaled = 0;

}  // namespace

std::string progress_line(const std::string& step, std::uint64_t done, std::uint64_t total,
                          std::chrono::milliseconds taken, std::string_view counted) {
  if (total == 0) return step;
  done = std::min(done, total);
  const auto part = static_cast<double>(done) / static_cast<double>(total);
  const auto full = static_cast<std::size_t>(part * static_cast<double>(bar_width));
  std::string line = fmt::format("{:<10} [{}{}] {:>3}%", step, std::string(full, '#'),
                                 std::string(bar_width - full, ' '), static_cast<int>(part * 100));
  if (taken < before_rates || done == 0) return line;
  const double rate = static_cast<double>(done) * 1000 / static_cast<double>(taken.count());
  const auto left = static_cast<std::uint64_t>(static_cast<double>(total - done) / rate);
  const auto whole_rate = static_cast<std::uint64_t>(rate);
  const std::string shown = counted.empty() ? human_bytes(whole_rate) : fmt::format("{} {}", whole_rate, counted);
  return line + fmt::format("  {}/s  {}:{:02} left", shown, left / 60, left % 60);
}

ProgressBar::ProgressBar() : terminal_(stderr_is_terminal() && !log::is_quiet()) {}

void ProgressBar::show(const std::string& step, std::uint64_t done, std::uint64_t total, std::string_view counted) {
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  if (step != step_) {
    step_ = step;
    started_ = now;
  } else if (now - written_ < between_lines && done < total) {
    return;
  }
  written_ = now;
  const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(now - started_);
  std::cerr << "\r\x1b[K" << progress_line(step, done, total, taken, counted) << std::flush;
  shown_ = true;
}

std::function<bool(std::uint64_t, std::uint64_t)> ProgressBar::until_stopped(const char* step, const char* counted) {
  catch_stop_signals();
  return [this, step, counted](std::uint64_t done, std::uint64_t total) {
    show(step, done, total, counted);
    return !stop_requested();
  };
}

std::function<bool(const char*, std::uint64_t, std::uint64_t)> ProgressBar::steps_until_stopped() {
  catch_stop_signals();
  return [this](const char* step, std::uint64_t done, std::uint64_t total) {
    show(step, done, total);
    return !stop_requested();
  };
}

void ProgressBar::end() {
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;
  shown_ = false;
}

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { signaled = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool stop_requested() { return signaled != 0; }

}  // namespace tapedeck::cli
