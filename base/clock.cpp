#include "base/clock.h"

#include <array>
#include <chrono>
#include <ctime>

namespace tapedeck::base {
namespace {

constexpr std::int64_t second = 1'000'000;

/// Returns the microseconds within the second, also for times before 1970.
std::int64_t fraction_of(std::int64_t microseconds) { return (microseconds % second + second) % second; }

std::string formatted(std::int64_t microseconds, const char* form) {
  const std::time_t seconds = (microseconds - fraction_of(microseconds)) / second;
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

std::string rfc3339(std::int64_t microseconds, std::size_t decimals) {
  const std::string fraction = std::to_string(second + fraction_of(microseconds)).substr(1, decimals);
  return formatted(microseconds, "%Y-%m-%dT%H:%M:%S.") + fraction + "Z";
}

std::string human_day(std::int64_t microseconds) { return formatted(microseconds, "%Y-%m-%d"); }

}  // namespace tapedeck::base
