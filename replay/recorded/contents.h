#pragma once
// Compares contents that a key names by their hash with a recorded key with redacted contents.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/request_key.h"

namespace tapedeck::replay {

/// The contents of one request: its files and its body. Nothing is read before it is needed, so a plain hit costs
/// nothing. Request and policy must outlive this.
class Contents {
 public:
  Contents(const http::Request& request, const api::KeyPolicy& policy) : request_(request), policy_(policy) {}
  Contents(const Contents&) = delete;

  /// Returns true if file number `nth` of the parameters with this name (as in a key) is the recorded one except for
  /// redacted places.
  [[nodiscard]] bool file_fits(std::string_view name, std::size_t nth, std::string_view recorded_value) const;
  /// Returns true if the body of a request that is not a call is the recorded one except for redacted places.
  [[nodiscard]] bool body_fits(std::string_view recorded_body) const;

 private:
  /// A parameter with its name as in a key.
  struct Named {
    std::string name;
    const api::Param* param;
  };
  /// Returns those that a key has, sorted by name, with the order of equal names kept.
  [[nodiscard]] const std::vector<Named>& by_name() const;
  [[nodiscard]] bool items_fit(std::string_view recorded_items) const;

  const http::Request& request_;
  const api::KeyPolicy& policy_;
  mutable std::vector<api::Param> params_;
  mutable std::optional<std::vector<Named>> by_name_;  ///< of params_
  mutable std::optional<std::string> items_;           ///< of the body, as in a key
};

}  // namespace tapedeck::replay
