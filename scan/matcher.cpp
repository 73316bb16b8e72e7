#include "scan/matcher.h"

#include <string.h>

#include <algorithm>
#include <bit>

namespace tapedeck::scan {

Matcher::Matcher(std::span<const Pattern> patterns) : patterns_(patterns.begin(), patterns.end()) {
  if (patterns_.empty()) return;
  constexpr std::size_t longest_window = 32;
  window_ = longest_window;
  for (const Pattern& pattern : patterns_) window_ = std::min(window_, pattern.text.size());
  const auto blocks = static_cast<unsigned>(std::bit_width(patterns_.size() * window_ * 8));
  const unsigned bits = std::clamp(blocks, 14u, 20u);
  table_shift_ = 32 - bits;
  const std::size_t widest = window_ - 2;
  shifts_.assign(std::size_t{1} << bits, static_cast<std::uint8_t>(widest));
  first_.assign(shifts_.size(), none);
  next_.assign(patterns_.size(), none);
  for (std::uint32_t i = 0; i < patterns_.size(); ++i) {
    const char* text = patterns_[i].text.data();
    for (std::size_t at = 0; at + 3 <= window_; ++at) {
      std::uint8_t& shift = shifts_[slot_of(text + at)];
      shift = std::min(shift, static_cast<std::uint8_t>(window_ - 3 - at));
    }
    const std::uint32_t last = slot_of(text + window_ - 3);
    next_[i] = first_[last];
    first_[last] = i;
  }
}

Matcher::~Matcher() {
  // The tables reveal which bytes occur in the values.
  if (!shifts_.empty()) explicit_bzero(shifts_.data(), shifts_.size());
  if (!first_.empty()) explicit_bzero(first_.data(), first_.size() * sizeof(first_[0]));
}

}  // namespace tapedeck::scan
