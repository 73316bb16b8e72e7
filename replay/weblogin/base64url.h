#pragma once
// Base64 of the web login's keys, messages, and hashes.

#include <optional>
#include <string>
#include <string_view>

#include "base/base64.h"

namespace tapedeck::replay::weblogin {

/// Returns base64url without padding, as devices write it.
[[nodiscard]] inline std::string to_base64url(std::string_view bytes) {
  return base::to_base64(bytes, base::base64url_alphabet, 0, 0, 0);
}

/// Decodes either alphabet, with or without padding, because clients differ. Returns nothing for any other text.
[[nodiscard]] inline std::optional<std::string> from_base64url(std::string_view text) {
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  for (const char c : text) {
    if (base::base64_value(c) < 0) return std::nullopt;
  }
  return base::from_base64(text);
}

}  // namespace tapedeck::replay::weblogin
