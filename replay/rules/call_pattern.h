#pragma once
// Which calls an overlay is for (toolkit §2): "Core.Storage.Volume/1/list".

#include <optional>
#include <string>
#include <string_view>

#include "api/call.h"

namespace tapedeck::replay {

/// API, version and method. The API with or without its first label; "Core.*" for all below, "*" for any API, version
/// or method; methods compare case-folded. Calls under every prefix fit unless the pattern names one: "…/list@/photo",
/// "…/list@/" for the device's own.
class CallPattern {
 public:
  /// Nothing for a text that is no such thing.
  [[nodiscard]] static std::optional<CallPattern> parse(std::string_view text);

  [[nodiscard]] bool fits(const api::Call& call) const;
  /// As it was given: equal texts are equal patterns.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// True for "*" and "Core.*".
  [[nodiscard]] bool is_wide() const { return any_below_; }
  /// Of a pattern that is not wide: the name that a call which fits has, with its first label or without.
  [[nodiscard]] const std::string& api() const { return bare_api_; }
  /// Case-folded; empty for any.
  [[nodiscard]] const std::string& method() const { return method_; }

 private:
  [[nodiscard]] bool fits_api(std::string_view api) const;

  std::string text_;
  std::string api_;       ///< of "Core.*" the part up to the last dot
  std::string bare_api_;  ///< without the first label, if that is one of those which devices use
  std::string version_;   ///< empty for any
  std::string method_;
  std::optional<std::string> prefix_;  ///< nothing for any
  bool any_below_ = false;
};

}  // namespace tapedeck::replay
