#include "cli/console/log.h"

#include <cstdio>
#include <ctime>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "cli/console/terminal.h"

namespace tapedeck::cli::log {
namespace {

std::mutex mutex;
std::string gathered;                                    // guarded by mutex
int batches = 0;                                         // guarded by mutex
std::function<std::string(std::string_view text)> hide;  // guarded by mutex

void put(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

std::string shown(Level level) {
  constexpr std::pair<const char*, Paint> words[] = {
      {"info ", Paint::good}, {"warning", Paint::warning}, {"error", Paint::bad}, {"critical", Paint::bad}};
  const auto& [word, how] = words[static_cast<std::size_t>(level)];
  return painted(word, how, stderr_takes_colour());
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

void hide_with(std::function<std::string(std::string_view text)> how) {
  const std::lock_guard lock(mutex);
  hide = std::move(how);
}

void write(Level level, std::string_view message) {
  const std::lock_guard lock(mutex);
  const std::string known = hide ? hide(message) : std::string(message);
  const std::string line = fmt::format("{} {} {}\n", time_now(), shown(level), printable(known, true));
  if (batches == 0) return put(line);
  gathered += line;
}

Batch::Batch() {
  if (stderr_is_terminal()) return;
  const std::lock_guard lock(mutex);
  ++batches;
}

Batch::~Batch() {
  if (stderr_is_terminal()) return;
  const std::lock_guard lock(mutex);
  if (--batches > 0) return;
  put(gathered);
  gathered.clear();
}

}  // namespace tapedeck::cli::log
