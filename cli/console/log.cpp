#include "cli/console/log.h"

#include <cstdio>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "cli/console/terminal.h"

namespace tapedeck::cli::log {
namespace {

using Hide = std::function<std::string(std::string_view text)>;

bool quiet = false;
std::mutex mutex;
std::shared_ptr<const Hide> current_hide;  // guarded by mutex

std::string shown(Level level) {
  constexpr std::pair<const char*, Paint> words[] = {
      {"info ", Paint::good}, {"warning", Paint::warning}, {"error", Paint::bad}, {"critical", Paint::bad}};
  const auto& [word, how] = words[static_cast<std::size_t>(level)];
  return painted(word, how, stderr_takes_color());
}

std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[sizeof "2026-11-20T10:53:25Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

void be_quiet() { quiet = true; }
bool is_quiet() { return quiet; }

void hide_with(Hide hide) {
  const std::lock_guard lock(mutex);
  current_hide = std::make_shared<const Hide>(std::move(hide));
}

void write(Level level, std::string_view message) {
  if (quiet && level == Level::info) return;
  std::shared_ptr<const Hide> hide;
  {
    const std::lock_guard lock(mutex);
    hide = current_hide;
  }
  const std::string known = hide != nullptr ? (*hide)(message) : std::string(message);
  const std::string line = fmt::format("{} {} {}\n", time_now(), shown(level), printable(known, true));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace tapedeck::cli::log
