#include "base/clock.h"

#include <array>
#include <chrono>
#include <ctime>

namespace tapedeck::base {
namespace {

std::string formatted(std::int64_t microseconds, const char* form) {
  const std::time_t seconds = microseconds / 1'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), form, &parts)};
}

}  // namespace

std::int64_t now_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

std::string human_time(std::int64_t microseconds) { return formatted(microseconds, "%Y-%m-%d %H:%M:%S"); }

std::string rfc3339(std::int64_t microseconds) {
  const std::string milliseconds = std::to_string(1'000 + microseconds / 1'000 % 1'000).substr(1);
  return formatted(microseconds, "%Y-%m-%dT%H:%M:%S.") + milliseconds + "Z";
}

std::string human_day(std::int64_t microseconds) { return formatted(microseconds, "%Y-%m-%d"); }

}  // namespace tapedeck::base
