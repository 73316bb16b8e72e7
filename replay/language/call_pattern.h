#pragma once
// Parses and matches patterns of calls (docs/mocking.md), such as "Core.Storage.Volume/1/list".

#include <optional>
#include <string>
#include <string_view>

#include "api/call.h"

namespace tapedeck::replay {

/// A pattern of API, version, and method. The API may have its first label or not. "Core.*" matches all APIs below it,
/// and "*" matches any API, version, or method. Methods are compared without case. Calls with any prefix match, unless
/// the pattern names one: "…/list@/photo", or "…/list@/" for the device's own.
class CallPattern {
 public:
  /// Returns nothing if the text is not a valid pattern.
  [[nodiscard]] static std::optional<CallPattern> parse(std::string_view text);

  [[nodiscard]] bool fits(const api::Call& call) const;
  /// Returns the text as it was given. Equal texts are equal patterns.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Returns true for "*" and "Core.*".
  [[nodiscard]] bool is_wide() const { return any_below_; }
  /// For a pattern that is not wide, returns the API name of matching calls, with or without its first label.
  [[nodiscard]] const std::string& api() const { return bare_api_; }
  /// Returns the method in lower case. Empty for any method.
  [[nodiscard]] const std::string& method() const { return method_; }

 private:
  [[nodiscard]] bool fits_api(std::string_view api) const;

  std::string text_;
  std::string api_;       ///< for "Core.*", the part up to the last dot
  std::string bare_api_;  ///< without the first label, if it is one of those that devices use
  std::string version_;   ///< empty for any value
  std::string method_;
  std::optional<std::string> prefix_;  ///< empty for any value
  bool any_below_ = false;
};

}  // namespace tapedeck::replay
