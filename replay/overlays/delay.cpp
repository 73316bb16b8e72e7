#include "replay/overlays/delay.h"

#include "base/duration.h"

namespace tapedeck::replay {

std::optional<std::chrono::microseconds> parse_duration(std::string_view text) {
  const auto duration = base::duration_of(text);
  return duration && *duration <= std::chrono::hours(1) ? duration : std::nullopt;
}

std::optional<Delay> parse_delay(std::string_view text) {
  if (text == "recorded") return RecordedDelay{};
  if (const auto duration = parse_duration(text)) return *duration;
  return std::nullopt;
}

}  // namespace tapedeck::replay
